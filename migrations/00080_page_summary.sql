-- A row a page for lists of many pages: what would otherwise be gathered from all
-- changes of each page that a list may show.

-- +goose Up
create table core.page_summary (
    page_id      bigint      not null,
    bucket       integer     not null,
    host         text        not null,
    url          text        not null,
    title        text        not null default '',
    search_text  text        collate "C" not null default '',
    changed_at   timestamptz not null default '-infinity',
    every_hours  double precision not null default 'infinity',
    dice         double precision,
    knot_hours   double precision not null default 'infinity',
    knot_dice    double precision,
    shape        text,
    recent       real[]      not null default '{}',
    noise        boolean[]   not null default '{}',
    computed_at  timestamptz,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_summary');
create index page_summary_changed on core.page_summary (changed_at, page_id);
create index page_summary_every on core.page_summary (every_hours, page_id);
create index page_summary_knot on core.page_summary (knot_hours, page_id);
create index page_summary_host on core.page_summary (host, page_id);
comment on table core.page_summary is 'Fetched pages with what lists show of them; made with the page''s state, renewed by the monitor with each new version. All of it follows from other tables.';
comment on column core.page_summary.page_id is 'The page.';
comment on column core.page_summary.bucket is 'Bucket of the page''s host.';
comment on column core.page_summary.host is 'Name of the host.';
comment on column core.page_summary.url is 'Canonical URL.';
comment on column core.page_summary.title is 'Title of the last version that was measured.';
comment on column core.page_summary.search_text is 'URL and title in lower case, in which lists look for words.';
comment on column core.page_summary.changed_at is 'When the text last changed but for noise; -infinity while it never did. Orders lists, so that it is never null.';
comment on column core.page_summary.every_hours is 'Mean time between the last 48 changes of the text; infinity with less than two changes [hours].';
comment on column core.page_summary.dice is 'Mean Dice of the same changes; null without one [0 to 1].';
comment on column core.page_summary.knot_hours is 'Where the change curve levels off; infinity without a knot [hours].';
comment on column core.page_summary.knot_dice is 'Dice at the knot; null without one [0 to 1].';
comment on column core.page_summary.shape is 'Shape of the change curve; null while there is none.';
comment on column core.page_summary.recent is 'Dice of the last 48 changes of the text, noise among them, in order of time [0 to 1].';
comment on column core.page_summary.noise is 'Which of those changes were nothing but known noise.';
comment on column core.page_summary.computed_at is 'When the row was computed; null while no version of the page was measured.';

insert into core.page_summary (page_id, bucket, host, url, title, search_text)
select s.page_id, s.bucket, h.name, p.url, coalesce(s.title, ''), lower(p.url || ' ' || coalesce(s.title, ''))
from core.page_state s
join core.page p using (bucket, page_id)
join core.host h using (bucket, host_id);

update core.page_summary s
set changed_at = coalesce(c.changed_at, '-infinity'), every_hours = coalesce(c.every_hours, 'infinity'), dice = c.dice,
    knot_hours = coalesce(k.knot_hours, 'infinity'), knot_dice = k.knot_dice, shape = k.shape,
    recent = coalesce(c.recent, '{}'), noise = coalesce(c.noise, '{}'), computed_at = now()
from core.page_state t
left join core.page_curve k using (bucket, page_id)
left join lateral (
    select max(r.changed_at) filter (where not r.masked) as changed_at,
           extract(epoch from max(r.changed_at) filter (where not r.masked) - min(r.changed_at) filter (where not r.masked))::float8 / 3600
               / nullif(count(*) filter (where not r.masked) - 1, 0) as every_hours,
           avg(r.dice) filter (where not r.masked) as dice,
           array_agg(r.dice::real order by r.version) as recent, array_agg(r.masked order by r.version) as noise
    from (select c.version, c.changed_at, c.dice, c.masked from core.change c
          where c.bucket = t.bucket and c.page_id = t.page_id and c.text_changed order by c.version desc limit 48) r
) c on true
where s.bucket = t.bucket and s.page_id = t.page_id and t.version > 0;

-- The changes that a person reads, by time; their weight stands in the index.
create index change_recent on core.change (changed_at) include (significance) where text_changed and not masked;

-- +goose Down
drop index core.change_recent;
drop table core.page_summary;

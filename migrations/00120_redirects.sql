-- What redirects tell: where a page has moved for good, the way that each fetch took,
-- and which address the validators of a page belong to.

-- +goose Up
alter table core.page_state add column validated_url text;
comment on column core.page_state.validated_url is 'Address that sent etag and last_modified, the last one of a chain of redirects; null: the page''s own. They are sent to no other.';

create index page_alias on core.page (alias_of) where alias_of is not null;

create view api_v1.alias as
select p.page_id, p.url, p.alias_of, p.bucket
from core.page p
where p.alias_of is not null;
comment on view api_v1.alias is 'Watched pages whose address has moved for good: by its last fetch that brought content, permanent redirects (301, 308) lead from the start to another page.';
comment on column api_v1.alias.page_id is 'The page that is fetched, under its old address.';
comment on column api_v1.alias.url is 'Its canonical URL.';
comment on column api_v1.alias.alias_of is 'The page that it has moved to; join api_v1.page using (page_id).';
comment on column api_v1.alias.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.redirect as
select f.page_id, p.url, f.started_at, h.step::int as step, h.hop ->> 'url' as from_url, (h.hop ->> 'status')::int as status, nullif(h.hop ->> 'to', '') as to_url, f.bucket
from core.fetch f
join core.page p using (bucket, page_id)
cross join lateral jsonb_array_elements(f.detail -> 'redirects') with ordinality h(hop, step);
comment on view api_v1.redirect is 'Redirects that fetches received, in the order in which they were followed. Narrow it by page_id or started_at; join fetch_log using (bucket, page_id, started_at).';
comment on column api_v1.redirect.page_id is 'The page that was fetched.';
comment on column api_v1.redirect.url is 'Canonical URL of the page.';
comment on column api_v1.redirect.started_at is 'Start of the attempt [UTC].';
comment on column api_v1.redirect.step is 'Place in the chain, from 1.';
comment on column api_v1.redirect.from_url is 'Address that was asked.';
comment on column api_v1.redirect.status is 'HTTP status of its answer.';
comment on column api_v1.redirect.to_url is 'Address that it led to; null where it named none that can be asked.';
comment on column api_v1.redirect.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- +goose Down
drop view api_v1.redirect, api_v1.alias;
drop index core.page_alias;
alter table core.page_state drop column validated_url;

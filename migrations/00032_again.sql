-- Pages whose rounds are done go through rounds again while they still change as often.

-- +goose Up
alter table core.burst_state add column rounds_before integer not null default 0;
comment on column core.burst_state.rounds_before is 'Rounds of earlier enrolments, which the numbers of rounds in burst_result go on from.';

-- +goose Down
delete from core.burst_result r using core.burst_state b
where b.bucket = r.bucket and b.page_id = r.page_id and b.rounds_before > 0 and r.round >= 0;
alter table core.burst_state drop column rounds_before;

-- When the mail about a new report went to the address of the team; at once where there is none.
-- The previous version knows no such mail, so reports that it files count as announced.
alter table reports add column announced_at timestamptz default now();
create index reports_not_announced on reports (created_at) where announced_at is null;
create index reports_announced on reports (announced_at desc) where announced_at is not null;

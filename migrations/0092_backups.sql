-- Backups that the command has completed, so that operators see the age of the last one.
create table backups (
  id text primary key,
  target text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  objects bigint not null,
  bytes bigint not null,
  damaged int not null
);
create index backups_finished on backups (finished_at);

-- How popular a listing is: its downloads of the last 30 days by different people, newer ones
-- counting more. The value compares listings at any time: it changes only with new downloads.
create table download_popularity (
  game_uid uuid primary key references listings on delete cascade,
  popularity double precision not null,
  newest_at timestamptz not null
);
create index download_popularity_newest on download_popularity (newest_at);

create trigger touch after insert or update or delete on download_popularity
  for each row execute function touch_own_listing();

-- The last download that the popularity includes.
create table download_popularity_position (
  only_row boolean primary key default true check (only_row),
  seq bigint not null
);
insert into download_popularity_position (seq) values (0);

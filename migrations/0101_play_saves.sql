-- Cloud copies of saved games: one row per version, whose bytes are an object of storage.
create table saves (
  uid uuid primary key,
  user_uid uuid not null references users on delete cascade,
  game_uid uuid not null references all_listings on delete cascade,
  slot text not null,
  -- Counts up in each slot; the highest is the current one.
  version int not null,
  size int not null,
  sha256 text not null,
  saved_at timestamptz not null default now(),
  unique (user_uid, game_uid, slot, version)
);
create index saves_of_game on saves (game_uid);

-- The games that a person lets know who plays them in the browser.
create table play_sharing (
  user_uid uuid not null references users on delete cascade,
  game_uid uuid not null references all_listings on delete cascade,
  shared_at timestamptz not null default now(),
  primary key (user_uid, game_uid)
);
create index play_sharing_of_game on play_sharing (game_uid);

-- Saves count as files of players. The check is wider than before, so every row satisfies it.
alter table storage_use drop constraint storage_use_kind_check;
alter table storage_use add constraint storage_use_kind_check check (kind in (
  'builds', 'uploads', 'symbols', 'images', 'videos', 'crashes', 'bug_reports', 'saves')) not valid;
alter table storage_use validate constraint storage_use_kind_check;

create or replace function is_player_kind(kind text) returns boolean language sql immutable as $$
  select kind in ('crashes', 'bug_reports', 'saves')
$$;

create function note_save() returns trigger language plpgsql as $$
begin
  insert into player_storage_changes (game_uid, kind, bytes)
  values (new.game_uid, 'saves', new.size);
  return null;
end $$;
create trigger count_new after insert on saves for each row
  execute function note_save();
create trigger count_deleted after delete on saves
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted('saves', 'r.size');

create or replace function stored_bytes(game uuid) returns table (kind text, bytes bigint)
language sql stable as $$
  select 'builds', stored_build_bytes(game)
  union all
  select 'uploads', coalesce(sum(s.total_size), 0)::bigint
  from upload_sessions s
  where s.game_uid = game and s.completed_at is null
  union all
  select 'symbols', coalesce(sum(s.size), 0)::bigint
  from symbols s
  where s.game_uid = game
  union all
  select 'images', coalesce(sum(i.size), 0)::bigint
  from shown_images i
  where i.game_uid = game
  union all
  select 'videos', coalesce(sum(v.size), 0)::bigint
  from listing_trailers v
  where v.game_uid = game and v.scan in ('scanning', 'clean')
  union all
  select 'crashes', coalesce(sum(coalesce(c.dump_size, 0) + coalesce(c.log_size, 0)), 0)::bigint
  from crashes c
  where c.game_uid = game
  union all
  select 'bug_reports',
    coalesce(sum(coalesce(b.screenshot_size, 0) + coalesce(b.log_size, 0)), 0)::bigint
  from bugs b
  where b.game_uid = game
  union all
  select 'saves', coalesce(sum(s.size), 0)::bigint
  from saves s
  where s.game_uid = game
$$;

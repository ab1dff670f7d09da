-- How many bytes each listing stores, by kind of file, so that a quota is checked without a sum
-- over all files. Triggers keep it; they also count what the previous version writes.
create table storage_use (
  game_uid uuid not null references all_listings on delete cascade,
  kind text not null check (
    kind in ('builds', 'uploads', 'symbols', 'images', 'videos', 'crashes', 'bug_reports')),
  bytes bigint not null,
  primary key (game_uid, kind)
);
-- For the listings that store the most.
create index storage_use_largest on storage_use (bytes desc);

-- The sum of all listings, without a row that every upload would have to lock: the totals, and the
-- changes that were not added to them yet. A job adds them.
create table storage_totals (
  by_players boolean primary key,
  bytes bigint not null
);
insert into storage_totals (by_players, bytes)
values (false, 0), (true, 0);

create table storage_changes (
  seq bigint generated always as identity primary key,
  by_players boolean not null,
  bytes bigint not null
);

-- Listings from before, whose files a job counts. Their use is too low until then.
create table storage_recounts (
  game_uid uuid primary key references all_listings on delete cascade
);
insert into storage_recounts (game_uid)
select uid
from all_listings;

-- Quotas that operators set for one person or one listing; null bytes are without a limit.
create table storage_quotas (
  uid uuid primary key,
  user_uid uuid unique references users on delete cascade,
  game_uid uuid unique references all_listings on delete cascade,
  bytes bigint check (bytes >= 0),
  note text not null default '',
  set_by uuid references users on delete set null,
  set_at timestamptz not null default now(),
  check ((user_uid is null) <> (game_uid is null))
);

-- Logs of bug reports count from this version on. The previous version does not write it.
alter table bugs add column log_size int;

create function is_player_kind(kind text) returns boolean language sql immutable as $$
  select kind in ('crashes', 'bug_reports')
$$;

create function note_storage_change() returns trigger language plpgsql as $$
declare
  before bigint = case when tg_op = 'INSERT' then 0 else old.bytes end;
  after bigint = case when tg_op = 'DELETE' then 0 else new.bytes end;
begin
  if after <> before then
    insert into storage_changes (by_players, bytes)
    values (is_player_kind(coalesce(new.kind, old.kind)), after - before);
  end if;
  return null;
end $$;
create trigger note_change after insert or update or delete on storage_use for each row
  execute function note_storage_change();

create function count_storage(game uuid, file_kind text, change bigint) returns void
language plpgsql as $$
begin
  if change = 0 then
    return;
  end if;
  update storage_use
  set bytes = bytes + change
  where game_uid = game and kind = file_kind;
  -- Without a row there is nothing to take away: the listing itself is being deleted.
  if found or change < 0 then
    return;
  end if;
  insert into storage_use (game_uid, kind, bytes)
  values (game, file_kind, change)
  on conflict (game_uid, kind) do update set bytes = storage_use.bytes + excluded.bytes;
end $$;

-- The arguments of these triggers are the kind of file and an expression for the bytes of a row r.
create function count_storage_of_row() returns trigger language plpgsql as $$
declare
  before bigint = 0;
  after bigint;
begin
  execute format('select %s from (select ($1).*) r', tg_argv[1]) into after using new;
  if tg_op = 'UPDATE' then
    execute format('select %s from (select ($1).*) r', tg_argv[1]) into before using old;
  end if;
  perform count_storage(new.game_uid, tg_argv[0], after - before);
  return null;
end $$;

-- One update per listing, however many rows were deleted.
create function count_storage_of_deleted() returns trigger language plpgsql as $$
declare
  item record;
begin
  for item in execute format(
    'select game_uid, sum(%s)::bigint as bytes from deleted r group by game_uid order by game_uid',
    tg_argv[1])
  loop
    perform count_storage(item.game_uid, tg_argv[0], -item.bytes);
  end loop;
  return null;
end $$;

create trigger count_new after insert on upload_sessions for each row
  execute function count_storage_of_row(
    'uploads', 'case when r.completed_at is null then r.total_size else 0 end');
create trigger count_changed after update on upload_sessions for each row
  when (old.completed_at is distinct from new.completed_at)
  execute function count_storage_of_row(
    'uploads', 'case when r.completed_at is null then r.total_size else 0 end');
create trigger count_deleted after delete on upload_sessions
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted(
    'uploads', 'case when r.completed_at is null then r.total_size else 0 end');

create trigger count_new after insert on symbols for each row
  execute function count_storage_of_row('symbols', 'r.size');
create trigger count_changed after update on symbols for each row
  when (old.size <> new.size)
  execute function count_storage_of_row('symbols', 'r.size');
create trigger count_deleted after delete on symbols
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted('symbols', 'r.size');

create trigger count_new after insert on listing_images for each row
  execute function count_storage_of_row('images', 'r.size');
create trigger count_changed after update on listing_images for each row
  when (old.size <> new.size)
  execute function count_storage_of_row('images', 'r.size');
create trigger count_deleted after delete on listing_images
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted('images', 'r.size');

-- The bytes of a rejected video are removed.
create trigger count_new after insert on listing_trailers for each row
  when (new.size is not null)
  execute function count_storage_of_row(
    'videos', 'case when r.scan in (''scanning'', ''clean'') then coalesce(r.size, 0) else 0 end');
create trigger count_changed after update on listing_trailers for each row
  when (old.size is distinct from new.size or old.scan <> new.scan)
  execute function count_storage_of_row(
    'videos', 'case when r.scan in (''scanning'', ''clean'') then coalesce(r.size, 0) else 0 end');
create trigger count_deleted after delete on listing_trailers
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted(
    'videos', 'case when r.scan in (''scanning'', ''clean'') then coalesce(r.size, 0) else 0 end');

create trigger count_new_poster after insert on listing_trailers for each row
  when (new.poster_size is not null)
  execute function count_storage_of_row('images', 'coalesce(r.poster_size, 0)');
create trigger count_changed_poster after update on listing_trailers for each row
  when (old.poster_size is distinct from new.poster_size)
  execute function count_storage_of_row('images', 'coalesce(r.poster_size, 0)');
create trigger count_deleted_poster after delete on listing_trailers
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted('images', 'coalesce(r.poster_size, 0)');

create trigger count_new after insert on crashes for each row
  when (new.dump_size is not null or new.log_size is not null)
  execute function count_storage_of_row(
    'crashes', 'coalesce(r.dump_size, 0) + coalesce(r.log_size, 0)');
create trigger count_changed after update on crashes for each row
  when (old.dump_size is distinct from new.dump_size
    or old.log_size is distinct from new.log_size)
  execute function count_storage_of_row(
    'crashes', 'coalesce(r.dump_size, 0) + coalesce(r.log_size, 0)');
create trigger count_deleted after delete on crashes
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted(
    'crashes', 'coalesce(r.dump_size, 0) + coalesce(r.log_size, 0)');

create trigger count_new after insert on bugs for each row
  when (new.screenshot_size is not null or new.log_size is not null)
  execute function count_storage_of_row(
    'bug_reports', 'coalesce(r.screenshot_size, 0) + coalesce(r.log_size, 0)');
create trigger count_changed after update on bugs for each row
  when (old.screenshot_size is distinct from new.screenshot_size
    or old.log_size is distinct from new.log_size)
  execute function count_storage_of_row(
    'bug_reports', 'coalesce(r.screenshot_size, 0) + coalesce(r.log_size, 0)');
create trigger count_deleted after delete on bugs
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted(
    'bug_reports', 'coalesce(r.screenshot_size, 0) + coalesce(r.log_size, 0)');

-- Files of a build with the same content share one object, whose bytes count once and as long as
-- one of the files has them.
create function stored_build_bytes(game uuid) returns bigint language sql stable as $$
  select coalesce(sum(o.size), 0)::bigint
  from (
    select max(f.size) as size
    from files f
    where f.game_uid = game and f.bytes_removed_at is null
    group by coalesce(f.object_uid, f.uid)
  ) o
$$;

-- Counts the files of listings anew: with shared objects that is simpler than to add up changes.
-- Others that change files of a listing wait, so that the last of them sees all changes. A listing
-- that is being deleted has nothing to count.
create function count_builds(games uuid[]) returns void language plpgsql as $$
declare
  game uuid;
begin
  for game in select distinct g from unnest(games) g order by g loop
    perform pg_advisory_xact_lock(74, hashtext(game::text));
    insert into storage_use (game_uid, kind, bytes)
    select uid, 'builds', stored_build_bytes(uid)
    from all_listings
    where uid = game
    on conflict (game_uid, kind) do update set bytes = excluded.bytes;
  end loop;
end $$;

create function count_new_files() returns trigger language plpgsql as $$
begin
  perform count_builds(array(select game_uid from new_files));
  return null;
end $$;
create trigger count_new after insert on files
  referencing new table as new_files for each statement
  execute function count_new_files();

create function count_deleted_files() returns trigger language plpgsql as $$
begin
  perform count_builds(array(select game_uid from old_files));
  return null;
end $$;
create trigger count_deleted after delete on files
  referencing old table as old_files for each statement
  execute function count_deleted_files();

-- Only changes of what is stored matter; those of a scan do not.
create function count_changed_files() returns trigger language plpgsql as $$
begin
  perform count_builds(array(
    select n.game_uid
    from old_files o
    join new_files n using (uid)
    where (o.object_uid, o.bytes_removed_at, o.size)
      is distinct from (n.object_uid, n.bytes_removed_at, n.size)));
  return null;
end $$;
create trigger count_changed after update on files
  referencing old table as old_files new table as new_files for each statement
  execute function count_changed_files();

-- What a listing stores, counted from its files.
create function stored_bytes(game uuid) returns table (kind text, bytes bigint)
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
$$;

-- The lock comes before the count: what others add meanwhile waits, and is added afterwards.
create function recount_storage(game uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(74, hashtext(game::text));
  insert into storage_use (game_uid, kind, bytes)
  select game, s.kind, 0
  from stored_bytes(game) s
  order by s.kind
  on conflict do nothing;
  perform from storage_use where game_uid = game order by kind for update;
  update storage_use u
  set bytes = s.bytes
  from stored_bytes(game) s
  where u.game_uid = game and u.kind = s.kind;
end $$;

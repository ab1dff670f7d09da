-- Patches make the files of a build out of those of an earlier one; the bytes are an object of
-- storage. A row without a size remembers that no patch of the pair is worth keeping.
create table file_patches (
  uid uuid primary key,
  game_uid uuid not null references all_listings on delete cascade,
  from_file uuid not null references files on delete cascade,
  to_file uuid not null references files on delete cascade,
  format text not null,
  size bigint,
  sha256 text,
  -- What players download without it.
  full_size bigint,
  -- 1 is made at once; 2 is smaller, and made for pairs that many players download.
  pass smallint not null default 1,
  downloads int not null default 0,
  made_at timestamptz not null default now(),
  check ((size is null) = (sha256 is null)),
  unique (to_file, from_file)
);
create index file_patches_from on file_patches (from_file);
create index file_patches_game on file_patches (game_uid);
create index file_patches_popular on file_patches (downloads) where pass = 1 and size is not null;

-- The heads that moved a moment ago, which players are about to update to.
create index if not exists channel_heads_moved on channel_heads (moved_at);

-- Patches count as files of developers. The check is wider than before, so every row satisfies it.
alter table storage_use drop constraint storage_use_kind_check;
alter table storage_use add constraint storage_use_kind_check check (kind in (
  'builds', 'uploads', 'symbols', 'images', 'videos', 'patches', 'crashes', 'bug_reports',
  'saves')) not valid;
alter table storage_use validate constraint storage_use_kind_check;

create trigger count_new after insert on file_patches for each row
  when (new.size is not null)
  execute function count_storage_of_row('patches', 'coalesce(r.size, 0)');
create trigger count_changed after update on file_patches for each row
  when (old.size is distinct from new.size)
  execute function count_storage_of_row('patches', 'coalesce(r.size, 0)');
create trigger count_deleted after delete on file_patches
  referencing old table as deleted for each statement
  execute function count_storage_of_deleted('patches', 'coalesce(r.size, 0)');

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
  select 'patches', coalesce(sum(p.size), 0)::bigint
  from file_patches p
  where p.game_uid = game
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

-- What games tell of themselves. Raw events stay for a while, a table a day; everything that is shown is read from the small tables below.
-- Nothing that every event touches has a foreign key: what a deleted build left is swept at night.

-- The events of one build that were written together. In one row they cost a tenth of what they cost as rows; `events` shows them as rows.
create table event_packs (
  -- When they happened, in UTC: an event sent twice lands on the same day twice, however late.
  day date not null,
  build_uid uuid not null,
  received_at timestamptz not null default now(),
  events json not null
) partition by range (day);
-- Written once and seldom read: not worth the time to compress.
alter table event_packs alter column events set storage external;

-- The first 64 bits of a hash of build and event id: an event is counted once. Each day's table has its own unique index.
create table event_keys (
  day date not null,
  event_key bigint not null
) partition by range (day);

create function make_event_days(first date, last date) returns void language plpgsql as $$
declare
  one date;
  suffix text;
begin
  for one in select d::date from generate_series(first, last, interval '1 day') d loop
    suffix = to_char(one, 'YYYYMMDD');
    if to_regclass('event_packs_' || suffix) is null then
      execute format('create table %I partition of event_packs for values from (%L) to (%L)', 'event_packs_' || suffix, one, one + 1);
    end if;
    if to_regclass('event_keys_' || suffix) is null then
      execute format('create table %I partition of event_keys for values from (%L) to (%L)', 'event_keys_' || suffix, one, one + 1);
      execute format('create unique index on %I (event_key)', 'event_keys_' || suffix);
    end if;
  end loop;
end $$;
select make_event_days((now() at time zone 'utc')::date - 31, (now() at time zone 'utc')::date + 7);

create view events as
  select p.day, p.build_uid, p.received_at, e.event, timestamptz 'epoch' + e.at * interval '1 microsecond' as at, e.device, e.session, e.value, e.metadata
  from event_packs p, json_to_recordset(p.events) as e (event text, at bigint, device uuid, session uuid, value int, metadata jsonb);

-- A device and a build: enough to tell how launches went over any window of days, without the events.
create table build_devices (
  build_uid uuid not null,
  -- A hash with a salt of the game that is not in the database.
  device uuid not null,
  first_boot_at timestamptz,
  first_crash_at timestamptz,
  last_seen date not null,
  last_boot date,
  last_crash date,
  primary key (build_uid, device)
) with (fillfactor = 90);

create table build_sessions (
  build_uid uuid not null,
  day date not null,
  seconds int not null,
  sessions int not null,
  primary key (build_uid, day, seconds)
);

create table event_days (
  build_uid uuid not null,
  day date not null,
  event text not null,
  events bigint not null,
  primary key (build_uid, day, event)
);

-- Builds whose health may have changed. Rows are only added by those who bring news, so that none of them waits for another.
create table health_news (
  seq bigint generated always as identity primary key,
  build_uid uuid not null
);

-- A stable build that starts worse than the one before it.
create table health_warnings (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  band text not null,
  previous_build_uid uuid references builds on delete set null,
  previous_version text not null,
  previous_band text not null,
  created_at timestamptz not null default now(),
  unique (build_uid, band)
);
create index health_warnings_newest on health_warnings (game_uid, created_at desc, uid desc);

-- Crash reports. The address of whoever sent one is nowhere.
create table crash_groups (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  -- A hash of the top frames; before the walk, and without a dump, of message, version and system.
  group_key bytea not null,
  kind text not null check (kind in ('frames', 'message')),
  title text not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  sample_crash_uid uuid,
  status text not null default 'open' check (status in ('open', 'resolved', 'regressed')),
  resolved_at timestamptz,
  -- The version that holds the fix, where one was named.
  resolved_in text,
  regressed_at timestamptz,
  regressed_build_uid uuid references builds on delete set null,
  unique (game_uid, group_key)
);
create index crash_groups_newest on crash_groups (game_uid, last_seen desc, uid desc);

create table crashes (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  group_uid uuid references crash_groups on delete set null,
  -- The sender's own id of the report, hashed: a report sent again is the same report.
  report_key bytea,
  device uuid,
  app_name text not null,
  app_version text not null,
  engine_version text not null,
  os text not null,
  arch text not null,
  user_message text not null,
  anonymous boolean not null,
  metadata jsonb not null,
  -- Where the bytes are; null while there are none.
  dump_key text,
  dump_size bigint,
  log_key text,
  log_size bigint,
  -- What the walk found: reason, address, thread, frames; null before it.
  analysis jsonb,
  stack text,
  walked_at timestamptz,
  missing_symbols boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index crashes_once on crashes (build_uid, report_key) where report_key is not null;
create index crashes_newest on crashes (game_uid, created_at desc, uid desc);
create index crashes_group on crashes (group_uid, created_at desc) where group_uid is not null;
create index crashes_to_walk_again on crashes (build_uid) where missing_symbols;
create index crashes_age on crashes (created_at);
create index crashes_dump on crashes (dump_key) where dump_key is not null;
create index crashes_log on crashes (log_key) where log_key is not null;

create table crash_group_builds (
  group_uid uuid not null references crash_groups on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  crashes int not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  primary key (group_uid, build_uid)
);
create index crash_group_builds_build on crash_group_builds (build_uid);

-- Links that take one dump or log, once. Only the hash of what is in the link is kept.
create table crash_uploads (
  token_hash bytea primary key,
  crash_uid uuid not null references crashes on delete cascade,
  kind text not null check (kind in ('dump', 'log')),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index crash_uploads_expiry on crash_uploads (expires_at);

-- What a game used of its daily caps.
create table crash_days (
  game_uid uuid not null references listings on delete cascade,
  day date not null,
  reports int not null default 0,
  uploads int not null default 0,
  primary key (game_uid, day)
);

-- The contents of asset packs, apart from those of games: a file that every game of an engine holds is found here in one step.
create table pack_contents (
  sha256 bytea not null,
  file_uid uuid not null references files on delete cascade,
  primary key (sha256, file_uid)
);
create index pack_contents_file on pack_contents (file_uid);

create function fill_pack_contents(file uuid) returns void language sql as $$
  insert into pack_contents (sha256, file_uid)
  select distinct e.sha256, e.file_uid from file_entries e join files f on f.uid = e.file_uid join listings l on l.uid = f.game_uid
  where e.file_uid = file and f.scan = 'clean' and l.asset_type in ('game_asset', 'dev_asset') and e.size >= 1024 and e.sha256 is not null
  on conflict do nothing
$$;

-- At the end of the transaction, when the entries are there whichever was written first.
create function pack_passed() returns trigger language plpgsql as $$
begin
  perform fill_pack_contents(new.uid);
  return null;
end $$;
create constraint trigger pack_passed after insert or update of scan on files deferrable initially deferred
  for each row when (new.scan = 'clean') execute function pack_passed();

create function pack_type_changed() returns trigger language plpgsql as $$
begin
  if new.asset_type in ('game_asset', 'dev_asset') then
    perform fill_pack_contents(f.uid) from files f where f.game_uid = new.uid and f.scan = 'clean';
  else
    delete from pack_contents c using files f where f.uid = c.file_uid and f.game_uid = new.uid;
  end if;
  return null;
end $$;
create trigger pack_type_changed after update of asset_type on listings
  for each row when (old.asset_type is distinct from new.asset_type) execute function pack_type_changed();

select fill_pack_contents(f.uid) from files f join listings l on l.uid = f.game_uid and l.asset_type in ('game_asset', 'dev_asset') where f.scan = 'clean';

-- What a mod works with shows on the mod's page: it changes with the builds and the engine of the game.
create function touch_mods_of(game uuid) returns void language sql as $$
  insert into listing_changes (game_uid)
  select uid from listings where parent_uid = game and asset_type in ('mod', 'plugin')
  union select d.game_uid from listing_dependencies d join listings l on l.uid = d.game_uid and l.asset_type in ('mod', 'plugin')
    where d.target_uid = game and d.kind = 'supports'
$$;
create function touch_mods() returns trigger language plpgsql as $$
begin
  perform touch_mods_of(coalesce(new.game_uid, old.game_uid));
  return null;
end $$;
create trigger touch_mods after insert or update or delete on channel_heads for each row execute function touch_mods();
create trigger touch_mods after update of engine_version on builds
  for each row when (old.engine_version is distinct from new.engine_version) execute function touch_mods();
create function touch_mods_of_listing() returns trigger language plpgsql as $$
begin
  perform touch_mods_of(new.uid);
  return null;
end $$;
create trigger touch_mods after update of engines on listings
  for each row when (old.engines is distinct from new.engines) execute function touch_mods_of_listing();

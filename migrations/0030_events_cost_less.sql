-- The same as 0026, planned once a connection instead of at every call: half of what a call cost was planning.
create or replace function keep_events(
  -- For each day that events fall on: its day, the day before it where that is to be looked at as well, and its keys, as text of an array.
  key_days date[], days_before date[], keys text[],
  -- Packs of events, one a line: JSON holds no line breaks.
  pack_days date[], pack_builds uuid[], packs text,
  told_builds uuid[], told_devices uuid[], told_seen date[], told_days int[], told_boot_us bigint[], told_boot date[], told_crash_us bigint[], told_crash date[],
  played_builds uuid[], played_days date[], played_seconds int[], played_sessions int[],
  count_builds uuid[], count_days date[], count_names text[], counts bigint[],
  out known text[], out news boolean)
language plpgsql as $$
declare
  taken text[];
  notes int;
begin
  -- An answer must not be given before what it speaks of is on the disk, whatever the server is set to.
  perform set_config('synchronous_commit', 'on', true);
  -- A day begins empty: what reads its keys must not go on reading the whole table when it has grown.
  perform set_config('enable_seqscan', 'off', true);
  -- The way is the same for one event and for thousands: to think it over each time costs more than most calls.
  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  known = '{}';
  news = false;
  -- The keys stand behind a select, or the database would think of each of them before it begins.
  for i in 1 .. cardinality(key_days) loop
    select array_agg(k.event_key::text) into taken from event_keys k
      where k.day = any (array[key_days[i], days_before[i]]) and k.event_key = any ((select keys[i]::bigint[])::bigint[]);
    known = known || coalesce(taken, '{}');
  end loop;
  if cardinality(known) > 0 then
    return;
  end if;
  -- Of two who take the same key at once, one fails and has to come again.
  for i in 1 .. cardinality(key_days) loop
    insert into event_keys (day, event_key) select key_days[i], k from unnest(keys[i]::bigint[]) k;
  end loop;
  insert into event_packs (day, build_uid, events)
    select p.day, p.build_uid, p.events::json from unnest(pack_days, pack_builds, string_to_array(packs, E'\n')) as p (day, build_uid, events);

  -- What others may be waiting for comes last. A device of which nothing new is told is only looked at: most events are such.
  with told as (
    select t.build_uid, t.device, t.last_seen, t.days::bit(32) as days, timestamptz 'epoch' + t.boot_us * interval '1 microsecond' as first_boot_at, t.last_boot,
      timestamptz 'epoch' + t.crash_us * interval '1 microsecond' as first_crash_at, t.last_crash
    from unnest(told_builds, told_devices, told_seen, told_days, told_boot_us, told_boot, told_crash_us, told_crash)
      as t (build_uid, device, last_seen, days, boot_us, last_boot, crash_us, last_crash)),
  moved as (
    insert into build_devices as d (build_uid, device, last_seen, days, first_boot_at, last_boot, first_crash_at, last_crash)
    select t.* from told t where (
      select true from build_devices k where k.build_uid = t.build_uid and k.device = t.device and k.last_seen >= t.last_seen
        and k.days | (t.days << (k.last_seen - t.last_seen)) = k.days
        and (t.last_boot is null or (k.last_boot >= t.last_boot and k.first_boot_at <= t.first_boot_at))
        and (t.last_crash is null or (k.last_crash >= t.last_crash and k.first_crash_at <= t.first_crash_at))) is null
    order by t.build_uid, t.device
    on conflict (build_uid, device) do update set last_seen = greatest(d.last_seen, excluded.last_seen),
      days = (d.days << greatest(0, excluded.last_seen - d.last_seen)) | (excluded.days << greatest(0, d.last_seen - excluded.last_seen)),
      first_boot_at = least(d.first_boot_at, excluded.first_boot_at), last_boot = greatest(d.last_boot, excluded.last_boot),
      first_crash_at = least(d.first_crash_at, excluded.first_crash_at), last_crash = greatest(d.last_crash, excluded.last_crash)
    returning build_uid),
  played as (
    insert into build_sessions as s (build_uid, day, seconds, sessions)
    select * from unnest(played_builds, played_days, played_seconds, played_sessions) as n (build_uid, day, seconds, sessions) order by 1, 2, 3
    on conflict (build_uid, day, seconds) do update set sessions = s.sessions + excluded.sessions returning build_uid),
  counted as (
    insert into event_days as c (build_uid, day, event, events)
    select * from unnest(count_builds, count_days, count_names, counts) as n (build_uid, day, event, events) order by 1, 2, 3
    on conflict (build_uid, day, event) do update set events = c.events + excluded.events),
  noted as (insert into health_news (build_uid) select build_uid from moved union select build_uid from played returning 1)
  select count(*) into notes from noted;
  news = notes > 0;
end $$;

-- Days are written once and dropped whole: nothing in them is ever dead, and to go through them again and again would cost as much as writing them.
create or replace function make_event_days(first date, last date) returns void language plpgsql as $$
declare
  one date;
  suffix text;
begin
  for one in select d::date from generate_series(first, last, interval '1 day') d loop
    suffix = to_char(one, 'YYYYMMDD');
    if to_regclass('event_packs_' || suffix) is null then
      execute format('create table %I partition of event_packs for values from (%L) to (%L) with (autovacuum_enabled = off, toast.autovacuum_enabled = off)',
        'event_packs_' || suffix, one, one + 1);
    end if;
    if to_regclass('event_keys_' || suffix) is null then
      execute format('create table %I partition of event_keys for values from (%L) to (%L) with (autovacuum_enabled = off)', 'event_keys_' || suffix, one, one + 1);
      execute format('create unique index on %I (event_key)', 'event_keys_' || suffix);
    end if;
  end loop;
end $$;
do $$
declare
  made regclass;
begin
  for made in select inhrelid::regclass from pg_inherits where inhparent = 'event_packs'::regclass loop
    execute format('alter table %s set (autovacuum_enabled = off, toast.autovacuum_enabled = off)', made);
  end loop;
  for made in select inhrelid::regclass from pg_inherits where inhparent = 'event_keys'::regclass loop
    execute format('alter table %s set (autovacuum_enabled = off)', made);
  end loop;
end $$;

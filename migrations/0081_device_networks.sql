-- Where a device was first seen from and whether a player proved it, so that one address cannot
-- decide the launch health of a build.
alter table build_devices
  -- A hash of the /24 or /48 with the salt of the game, which is not in the database.
  add column network int,
  -- Whether any of its events came with a token of a player.
  add column signed boolean not null default false;

alter table build_health
  add column signed_devices int not null default 0;

-- The same as the function of 0030, which the previous version still calls, with the two columns.
create function keep_events(
  key_days date[], days_before date[], keys text[],
  pack_days date[], pack_builds uuid[], packs text,
  seen_builds uuid[], seen_devices uuid[], seen_last date[], seen_days int[],
  seen_boot_us bigint[], seen_boot date[], seen_crash_us bigint[], seen_crash date[],
  seen_networks int[], seen_signed boolean[],
  played_builds uuid[], played_days date[], played_seconds int[], played_sessions int[],
  count_builds uuid[], count_days date[], count_names text[], counts bigint[],
  out known text[], out news boolean)
language plpgsql as $$
declare
  taken text[];
  notes int;
begin
  perform set_config('synchronous_commit', 'on', true);
  perform set_config('enable_seqscan', 'off', true);
  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  known = '{}';
  news = false;
  for i in 1 .. cardinality(key_days) loop
    select array_agg(k.event_key::text) into taken
    from event_keys k
    where k.day = any (array[key_days[i], days_before[i]])
      and k.event_key = any ((select keys[i]::bigint[])::bigint[]);
    known = known || coalesce(taken, '{}');
  end loop;
  if cardinality(known) > 0 then
    return;
  end if;
  for i in 1 .. cardinality(key_days) loop
    insert into event_keys (day, event_key)
    select key_days[i], k
    from unnest(keys[i]::bigint[]) k;
  end loop;
  insert into event_packs (day, build_uid, events)
  select p.day, p.build_uid, p.events::json
  from unnest(pack_days, pack_builds, string_to_array(packs, E'\n')) as p (day, build_uid, events);

  -- A device of which nothing changes is only read, as with most events. The network is that of
  -- its first event: a device that travels does not write each time.
  with seen as (
    select t.build_uid, t.device, t.last_seen, t.days::bit(32) as days,
      timestamptz 'epoch' + t.boot_us * interval '1 microsecond' as first_boot_at, t.last_boot,
      timestamptz 'epoch' + t.crash_us * interval '1 microsecond' as first_crash_at, t.last_crash,
      t.network, t.signed
    from unnest(seen_builds, seen_devices, seen_last, seen_days, seen_boot_us, seen_boot,
        seen_crash_us, seen_crash, seen_networks, seen_signed)
      as t (build_uid, device, last_seen, days, boot_us, last_boot, crash_us, last_crash, network,
        signed)),
  moved as (
    insert into build_devices as d (build_uid, device, last_seen, days, first_boot_at, last_boot,
      first_crash_at, last_crash, network, signed)
    select t.*
    from seen t
    where (
      select true
      from build_devices k
      where k.build_uid = t.build_uid and k.device = t.device and k.last_seen >= t.last_seen
        and k.days | (t.days << (k.last_seen - t.last_seen)) = k.days
        and (t.last_boot is null
          or (k.last_boot >= t.last_boot and k.first_boot_at <= t.first_boot_at))
        and (t.last_crash is null
          or (k.last_crash >= t.last_crash and k.first_crash_at <= t.first_crash_at))
        and (t.network is null or k.network is not null)
        and (k.signed or not t.signed)) is null
    order by t.build_uid, t.device
    on conflict (build_uid, device) do update
    set last_seen = greatest(d.last_seen, excluded.last_seen),
      days = (d.days << greatest(0, excluded.last_seen - d.last_seen))
        | (excluded.days << greatest(0, d.last_seen - excluded.last_seen)),
      first_boot_at = least(d.first_boot_at, excluded.first_boot_at),
      last_boot = greatest(d.last_boot, excluded.last_boot),
      first_crash_at = least(d.first_crash_at, excluded.first_crash_at),
      last_crash = greatest(d.last_crash, excluded.last_crash),
      network = coalesce(d.network, excluded.network),
      signed = d.signed or excluded.signed
    returning build_uid),
  played as (
    insert into build_sessions as s (build_uid, day, seconds, sessions)
    select *
    from unnest(played_builds, played_days, played_seconds, played_sessions)
      as n (build_uid, day, seconds, sessions)
    order by 1, 2, 3
    on conflict (build_uid, day, seconds) do update
    set sessions = s.sessions + excluded.sessions
    returning build_uid),
  counted as (
    insert into event_days as c (build_uid, day, event, events)
    select *
    from unnest(count_builds, count_days, count_names, counts)
      as n (build_uid, day, event, events)
    order by 1, 2, 3
    on conflict (build_uid, day, event) do update
    set events = c.events + excluded.events),
  noted as (
    insert into health_news (build_uid)
    select build_uid
    from moved
    union
    select build_uid
    from played
    returning 1)
  select count(*) into notes
  from noted;
  news = notes > 0;
end $$;

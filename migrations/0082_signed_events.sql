-- Listings whose launch health counts only devices with signed events. A table of its own, because
-- the view of listings has a fixed list of columns.
create table signed_events_required (
  game_uid uuid primary key references all_listings on delete cascade,
  since timestamptz not null default now()
);

-- The health of the builds changes with the switch.
create function count_launches_anew() returns trigger language plpgsql as $$
begin
  insert into health_news (build_uid)
  select b.uid
  from builds b
  where b.game_uid = coalesce(new.game_uid, old.game_uid)
    and exists (select from build_devices d where d.build_uid = b.uid);
  return null;
end $$;
create trigger count_launches_anew after insert or delete on signed_events_required for each row
  execute function count_launches_anew();

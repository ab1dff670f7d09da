-- The outbox of the catalog is listing_changes: from here on the listing's own row leaves a change there too, and every change knows its
-- transaction, so that a reader can tell which are still to commit behind the newest it saw.
alter table listing_changes add column xid xid8 not null default pg_current_xact_id();
create index listing_changes_xid on listing_changes (xid, seq);

create function leave_listing_change() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid) values (coalesce(new.uid, old.uid));
  return null;
end $$;
create trigger leave_change after insert or update or delete on listings for each row execute function leave_listing_change();

-- How a build starts on players' machines, over the last 30 days.
create table build_health (
  build_uid uuid primary key references builds on delete cascade,
  game_uid uuid not null references listings on delete cascade,
  band text not null default 'unrated' check (band in ('excellent', 'healthy', 'mixed', 'problematic', 'unrated')),
  devices int not null default 0,
  boot_ok int not null default 0,
  crash_on_boot int not null default 0,
  median_session_seconds int,
  updated_at timestamptz not null default now()
);
create index build_health_game on build_health (game_uid);

-- How far a listing has travelled since it was published: what the shelf of the unheard-of asks.
create table listing_reach (
  game_uid uuid primary key references listings on delete cascade,
  devices int not null default 0,
  first_boot_ok_at timestamptz
);

create trigger touch after insert or update or delete on build_health for each row execute function touch_own_listing();

-- The newest build that the stable channel of the main app points at: whose health stands for the listing.
create view newest_stable_builds as
  select distinct on (h.game_uid) h.game_uid, h.build_uid
  from channel_heads h
  join builds b on b.uid = h.build_uid
  where h.app = '' and h.channel = 'stable'
    and not exists (select from channels c where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable' and c.expires_at <= now())
  order by h.game_uid, b.created_at desc, b.uid desc;

create view listing_health as
  select s.game_uid, s.build_uid, coalesce(b.band, 'unrated') as band, coalesce(b.devices, 0) as devices
  from newest_stable_builds s left join build_health b on b.build_uid = s.build_uid;

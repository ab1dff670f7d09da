-- What a listing says about playing it in the browser. Without a row the defaults hold.
create table if not exists play_settings (
  game_uid uuid primary key references all_listings on delete cascade,
  -- Origins that the game may talk to besides its own and the API of the store.
  connect_origins text[] not null default '{}',
  -- Whether other websites may show the game in a frame.
  embeddable boolean not null default false,
  updated_at timestamptz not null default now()
);

-- Builds that are played without cross-origin isolation: without threads, but with resources of
-- other origins that do not allow it.
create table if not exists play_unisolated_builds (
  build_uid uuid primary key references builds on delete cascade
);

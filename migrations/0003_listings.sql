create table listings (
  uid uuid primary key,
  -- The asset library's clients know a listing by a positive whole number.
  asset_id bigint generated always as identity unique,
  owner_uid uuid not null references users,
  vanity_name text not null unique,
  name text not null,
  tagline text not null default '',
  -- Markdown, stored as written.
  description text not null default '',
  asset_type text not null default 'game',
  status text not null default 'development',
  visibility text not null default 'draft',
  adult boolean not null default false,
  indexable boolean not null default true,
  demo_url text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Moves with every change of anything the page shows, so that copies of it can tell whether they are old.
  version bigint not null default 1
);
create index listings_owner on listings (owner_uid, created_at desc);

create table listing_admins (
  game_uid uuid not null references listings on delete cascade,
  user_uid uuid not null references users on delete cascade,
  invited_at timestamptz not null default now(),
  -- An invite until accepted.
  accepted_at timestamptz,
  primary key (game_uid, user_uid)
);
create index listing_admins_user on listing_admins (user_uid);

alter table secrets add foreign key (game_uid) references listings on delete cascade;
alter table access_keys add foreign key (game_uid) references listings on delete cascade;

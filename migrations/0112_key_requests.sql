-- Journalists and creators ask for a copy, where the developer lets them.
create table open_key_requests (
  game_uid uuid primary key references all_listings on delete cascade
);

create table key_requests (
  uid uuid primary key,
  game_uid uuid not null references all_listings on delete cascade,
  user_uid uuid not null references users on delete cascade,
  kind text not null check (kind in ('press', 'creator')),
  outlet text not null,
  url text not null,
  message text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'declined')),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  unique (game_uid, user_uid)
);
create index key_requests_person on key_requests (user_uid);

create table users (
  uid uuid primary key,
  username text not null,
  email text not null,
  password_hash text not null,
  email_verified_at timestamptz,
  developer_enabled_at timestamptz,
  developer_terms_version text,
  adult_confirmed_at timestamptz,
  show_adult boolean not null default false,
  extstore_id text unique,
  created_at timestamptz not null default now()
);
-- Names and addresses are shown as typed and compared without case.
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));

create table sessions (
  uid uuid primary key,
  user_uid uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_uid);
create index sessions_expiry on sessions (expires_at);

-- Player keys and agent keys: the same thing with other scopes.
create table access_keys (
  uid uuid primary key,
  kind text not null check (kind in ('player', 'agent')),
  user_uid uuid not null references users on delete cascade,
  -- An agent key may be bound to one project.
  game_uid uuid,
  name text not null,
  scopes text[] not null,
  prefix text not null,
  key_hash bytea not null unique,
  created_at timestamptz not null default now()
);
create index access_keys_user on access_keys (user_uid, kind);

-- The code itself is nowhere: it is derived from the nonce with a key that is not in the database.
create table mail_codes (
  user_uid uuid primary key references users on delete cascade,
  nonce uuid not null,
  tries int not null default 0,
  sent_at timestamptz not null,
  expires_at timestamptz not null
);

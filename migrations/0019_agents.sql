-- What an agent asked for and a person decides. The code that goes by mail is nowhere: it is derived from the uid with a key that is not
-- in the database. Over when expires_at is past and it was neither used nor denied.
create table approvals (
  uid uuid primary key,
  user_uid uuid not null references users on delete cascade,
  credential_uid uuid not null,
  game_uid uuid not null references listings on delete cascade,
  -- room.verb
  action text not null,
  -- What exactly, as text that is the same for the same thing.
  subject text not null,
  -- The same for people.
  summary text not null,
  -- The agent's own, or one made for it.
  idempotency_key text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'used')),
  tries int not null default 0,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  expires_at timestamptz not null,
  unique (user_uid, idempotency_key)
);
create index approvals_user on approvals (user_uid, created_at desc);
create index approvals_game on approvals (game_uid);

-- Every call that was made with a key or a token instead of a session.
create table credential_calls (
  uid uuid primary key,
  at timestamptz not null default now(),
  user_uid uuid not null references users on delete cascade,
  kind text not null check (kind in ('player', 'agent')),
  -- The key, or the grant the token came from.
  credential_uid uuid not null,
  credential_name text not null,
  tool text,
  game_uid uuid,
  method text not null,
  -- As routes write it: never with what was asked in it.
  path text not null,
  status int not null,
  code int
);
create index credential_calls_user on credential_calls (user_uid, at desc, uid desc);
create index credential_calls_game on credential_calls (game_uid, at desc, uid desc) where game_uid is not null;
create index credential_calls_at on credential_calls (at);

-- What the authorization server keeps: clients, grants, codes, tokens. Ids are kept as hashes, so that nothing in here opens anything.
create table oauth_records (
  kind text not null,
  id_hash bytea not null,
  -- For people to name a grant by.
  uid uuid not null unique,
  payload jsonb not null,
  grant_hash bytea,
  user_uid uuid references users on delete cascade,
  client_id text,
  client_name text,
  -- The kind of identity an access token is: of which server it is a token.
  audience text check (audience in ('player', 'agent')),
  -- The one project a grant is bound to.
  game_uid uuid references listings on delete cascade,
  -- The secret of a client, sealed.
  secret_version int,
  secret_sealed bytea,
  created_at timestamptz not null default now(),
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (kind, id_hash)
);
create index oauth_records_grant on oauth_records (grant_hash) where grant_hash is not null;
create index oauth_records_user on oauth_records (user_uid, kind) where user_uid is not null;
create index oauth_records_client on oauth_records (client_id) where client_id is not null;
create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null;

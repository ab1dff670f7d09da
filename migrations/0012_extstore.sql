-- Who did what to which project: for deeds that somebody will ask about later. Kept when the project or the person goes.
create table audit_entries (
  uid uuid primary key,
  at timestamptz not null default now(),
  user_uid uuid references users on delete set null,
  game_uid uuid,
  -- room.verb, as jobs are called.
  action text not null,
  -- Never a secret.
  detail jsonb not null default '{}'
);
create index audit_entries_game on audit_entries (game_uid, at desc);

-- One app of the external store is one listing here.
create table extstore_links (
  game_uid uuid primary key references listings on delete cascade,
  app_id bigint not null unique,
  app_name text not null,
  linked_at timestamptz not null default now(),
  last_synced_at timestamptz
);

-- A row means that sign-in is on. The keys themselves are sealed in secrets.
create table extstore_sign_in (
  game_uid uuid primary key references extstore_links on delete cascade,
  -- New with every auth key: a session of another generation is revoked, without touching it.
  generation uuid not null,
  auth_key_hash bytea not null,
  auth_key_last4 text not null,
  ticket_key text not null,
  enabled_at timestamptz not null default now()
);

-- One row a token. No reference to listings: there may be millions for one, and a sign-in need not lock its row.
create table extstore_sessions (
  jti uuid primary key,
  game_uid uuid not null,
  generation uuid not null,
  extstore_id text not null,
  owner_extstore_id text,
  user_uid uuid references users on delete set null,
  ip text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- Keyed hash of the ticket, so that it signs in once; a refreshed token has none.
  ticket_hash uuid unique
);
create index extstore_sessions_player on extstore_sessions (game_uid, extstore_id);
create index extstore_sessions_user on extstore_sessions (user_uid) where user_uid is not null;
create index extstore_sessions_expiry on extstore_sessions (expires_at);

-- Linking an account: each way to the store and back belongs to one website session and is walked once.
create table extstore_link_states (
  state uuid primary key,
  session_uid uuid not null references sessions on delete cascade,
  expires_at timestamptz not null
);
create table extstore_openid_nonces (
  nonce text primary key,
  expires_at timestamptz not null
);

-- A change of an email address that the holder of the former address can undo with a mailed link.
-- As for password_resets, the token of the link is derived from the nonce with a key that is not in
-- the database.
create table email_undos (
  nonce uuid primary key,
  user_uid uuid not null references users on delete cascade,
  previous_email text not null,
  changed_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index email_undos_user on email_undos (user_uid);
create index email_undos_address on email_undos (lower(previous_email));

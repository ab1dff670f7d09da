-- A new email address that its owner has not confirmed yet. As in mail_codes, the code itself is
-- nowhere: it is derived from the nonce with a key that is not in the database.
create table email_changes (
  user_uid uuid primary key references users on delete cascade,
  email text not null,
  nonce uuid not null,
  tries int not null default 0,
  sent_at timestamptz not null,
  expires_at timestamptz not null
);

-- On which days a device used a build: the last bit is the day it was last seen, the one before it the day before. A device costs no row more for it,
-- and how many were active on a day is a count of bits. Of devices from before this, only the day they were last seen is known.
alter table build_devices add column days bit(32) not null default B'00000000000000000000000000000001';

-- Links to a new password. The link itself is nowhere: it is derived from the nonce with a key that is not in the database. The last one counts, once.
create table password_resets (
  user_uid uuid primary key references users on delete cascade,
  nonce uuid not null unique,
  sent_at timestamptz not null,
  expires_at timestamptz not null
);

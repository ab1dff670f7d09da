-- Which mails were sent, failed or bounced, for the console. Neither the text nor the subject is
-- stored, because they may contain codes and links, and the recipient is shortened.
create table mails (
  uid uuid primary key,
  message_id uuid not null,
  recipient text not null,
  -- SHA-256 of the address in lower case, to count the bounces of an address.
  recipient_hash bytea not null,
  -- The job that sends it.
  kind text not null,
  job_id uuid,
  -- To send it again; contains no code, see the jobs.
  job_data jsonb,
  state text not null check (state in ('sent', 'failed', 'bounced')),
  error text not null default '',
  attempts int not null default 1,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  unique (message_id, recipient_hash)
);
create index mails_created on mails (created_at);
create index mails_unsent on mails (state, created_at) where state <> 'sent';
create index mails_bounced on mails (recipient_hash) where state = 'bounced';

-- What the daily check of the store found: when its certificate ends, and which versions are newer.
create table store_checks (
  name text primary key,
  result jsonb not null,
  checked_at timestamptz not null default now()
);

-- Settings of the store that operators change while it runs. A setting without a row has its
-- default; an environment variable of the same name wins over both. The previous version does not
-- read them.
create table store_settings (
  name text primary key check (name ~ '^[a-z][a-z_]{0,62}$'),
  value jsonb not null,
  changed_at timestamptz not null default now()
);

-- Who changed which setting. Rows are never changed; a person who is deleted leaves no name.
create table setting_changes (
  uid uuid primary key,
  name text not null,
  -- Null where the default applied.
  old_value jsonb,
  new_value jsonb,
  -- Null when an administrator acted from the command line.
  user_uid uuid references users on delete set null,
  changed_at timestamptz not null default now()
);
create index setting_changes_newest on setting_changes (changed_at desc, uid desc);
create index setting_changes_user on setting_changes (user_uid) where user_uid is not null;

-- Every process reads the settings again when it hears of a change.
create function announce_settings() returns trigger language plpgsql as $$
begin
  notify store_settings;
  return null;
end $$;

create trigger announce after insert or update or delete on store_settings
  for each statement execute function announce_settings();

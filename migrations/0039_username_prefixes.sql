-- For suggestions: developers whose usernames begin with what was typed.
create index users_username_prefix on users (lower(username) text_pattern_ops)
  where developer_enabled_at is not null;

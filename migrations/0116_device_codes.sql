-- The device authorization grant (RFC 8628): a program without a browser shows a short code, which a
-- person types on the website. The code is short enough to be guessed from a plain hash, so this is a
-- keyed one.
alter table oauth_records add column user_code_hash bytea;
create unique index oauth_records_user_code on oauth_records (user_code_hash) where user_code_hash is not null;

-- When the program asked last whether the person has answered, and how long it has to wait between
-- two requests.
alter table oauth_records add column polled_at timestamptz;
alter table oauth_records add column poll_seconds int;

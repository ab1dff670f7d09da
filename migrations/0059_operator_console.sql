-- The console of operators searches people by the beginning of their name or address, and counts
-- what happened in the last days. Downloads are appended in the order of time, so a small index of
-- ranges is enough for them. The previous version does not use these indexes.
create index users_username_search on users (lower(username) text_pattern_ops);
create index users_email_search on users (lower(email) text_pattern_ops);
create index users_created on users (created_at);
create index download_attempts_at on download_attempts using brin (at);
create index listings_published on all_listings (published_at) where published_at is not null;

-- The theme of a person's pages. Null if they have not chosen one; then a cookie may have.
alter table users add column theme text check (theme in ('auto', 'light', 'dark'));

-- When the player hid the copy in the library; null if it shows.
alter table licences add column hidden_at timestamptz;

-- The language of a person's pages and mails. Null follows the browser.
alter table users add column language text check (language ~ '^[A-Za-z-]{2,20}$');

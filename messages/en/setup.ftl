# The first start of a store: who runs it, its name and its mail.

setup = Set up this store
setup-text = Whoever has a set-up link becomes the first operator of this store. The start of the service prints the link; the command “setup-link” makes another.
setup-token = Set-up link
setup-token-hint = The link, or the part of it after #. It works once and for 24 hours.
# Variables: $username (String).
setup-own-account = You are signed in as { $username }. This account becomes the operator.
setup-have-account = Do you have an account? <link>Sign in</link>, then open the link again.
setup-become-operator = Become operator
# Variables: $username (String).
setup-is-operator = { $username } is the operator of this store
setup-done = This store is already set up.
setup-done-next = Operators continue in <link>the console</link>.
setup-store = Your store
setup-store-text = You can change all of this later in the console. The store serves in any case.
setup-store-settings = The store
setup-address = Address
# Variables: $variable: the name of an environment variable.
setup-address-fixed = Set by { $variable } in the environment. Change it there and start the service again.
# Variables: $variable: the name of an environment variable, $example: with a value.
setup-address-open = Mails and links use this address. If people reach the store at another one, set { $variable } in the environment, such as { $example }, and start the service again.
setup-second-factor = Protect your account
setup-second-factor-text = Operators can change everything here. A passkey or an authenticator app keeps others out who learn your password.
setup-second-factor-required = This store requires it: you need it before you continue in the console.
setup-second-factor-add = Add a second factor
setup-second-factor-later = You can do this later in your settings. <link>Continue in the console</link>
setup-finish = Finish
setup-finished = Your store is set up

## Mail

setup-mail = Mail
setup-mail-server = Mail server
setup-mail-sender = Sender
setup-mail-test = Send a test mail to me
# Variables: $to (String): an address.
setup-mail-smtp-sent = The mail server took a test mail to { $to }
setup-mail-outbox-sent = A test mail to { $to } is in the outbox of the service
mail-test-subject = Test mail of { $store }
# Variables: $store, $url (String).
mail-test = This is a test mail of { $store } at { $url }. Mail works.

## Refusals

refusal-setup-link-invalid = This set-up link was used, has expired or is unknown. Make a new one with the command “setup-link”.
# Variables: $error (String): as the mail server said it, in English.
rule-mail-failed = The mail server did not take the mail: { $error }

# Der erste Start eines Stores: wer ihn betreibt, sein Name und seine Mails.

setup = Store einrichten
setup-text = Wer einen Einrichtungslink hat, wird der erste Betreiber dieses Stores. Der Dienst gibt den Link beim Start aus; der Befehl „setup-link“ erzeugt einen weiteren.
setup-token = Einrichtungslink
setup-token-hint = Der Link oder der Teil nach dem #. Er gilt einmal und 24 Stunden lang.
setup-own-account = Du bist als { $username } angemeldet. Dieses Konto wird der Betreiber.
setup-have-account = Hast du ein Konto? <link>Melde dich an</link> und öffne dann den Link erneut.
setup-become-operator = Betreiber werden
setup-is-operator = { $username } betreibt jetzt diesen Store
setup-done = Dieser Store ist schon eingerichtet.
setup-done-next = Für Betreiber geht es in <link>der Konsole</link> weiter.
setup-store = Dein Store
setup-store-text = Das alles kannst du später in der Konsole ändern. Der Store läuft in jedem Fall.
setup-store-settings = Der Store
setup-address = Adresse
setup-address-fixed = Von { $variable } in der Umgebung festgelegt. Ändere sie dort und starte den Dienst neu.
setup-address-open = Mails und Links verwenden diese Adresse. Ist der Store unter einer anderen zu erreichen, setze { $variable } in der Umgebung, zum Beispiel { $example }, und starte den Dienst neu.
setup-second-factor = Schütze dein Konto
setup-second-factor-text = Wer den Store betreibt, kann hier alles ändern. Ein Passkey oder eine Authenticator-App hält andere fern, die dein Passwort erfahren.
setup-second-factor-required = Dieser Store verlangt das: Du brauchst es, bevor es in der Konsole weitergeht.
setup-second-factor-add = Zweiten Faktor hinzufügen
setup-second-factor-later = Das geht auch später in deinen Einstellungen. <link>Weiter zur Konsole</link>
setup-finish = Fertig
setup-finished = Dein Store ist eingerichtet

## Mail

setup-mail = E-Mail
setup-mail-server = Mailserver
setup-mail-sender = Absender
setup-mail-test = Testmail an mich senden
setup-mail-smtp-sent = Der Mailserver hat eine Testmail an { $to } angenommen
setup-mail-outbox-sent = Eine Testmail an { $to } liegt im Ordner outbox des Dienstes
mail-test-subject = Testmail von { $store }
mail-test = Das ist eine Testmail von { $store } unter { $url }. Mails funktionieren.

## Refusals

refusal-setup-link-invalid = Dieser Einrichtungslink wurde benutzt, ist abgelaufen oder unbekannt. Erzeuge mit dem Befehl „setup-link“ einen neuen.
rule-mail-failed = Der Mailserver hat die Mail nicht angenommen: { $error }

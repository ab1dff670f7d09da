# Die Sicherheit eines Kontos: zweite Faktoren und frische Nachweise.

nav-security = Sicherheit
second-factor-required = Dieser Store verlangt von dir einen zweiten Faktor, bevor es weitergeht. Wähle unten einen aus.
confirm = Bestätigen

## Der zweite Schritt der Anmeldung

second-step-title = Zweiter Schritt
second-step-text = Dieses Konto hat einen zweiten Faktor. Gib den aktuellen Code deiner Authenticator-App ein.
second-step-code = Code
second-step-hint = Sechs Ziffern aus deiner Authenticator-App oder ein Wiederherstellungscode.

## Ein frischer Nachweis

confirm-title = Bestätige, dass du es bist
confirm-text = Der nächste Schritt braucht einen frischen Nachweis, dass du es bist. Er gilt zehn Minuten.
confirm-or-password = Oder nimm dein Passwort:
confirm-done = Danke, das stimmt

## Authenticator-App

totp = Authenticator-App
totp-off-text = Schütze dein Konto mit einem zweiten Schritt: einem Code aus einer App auf deinem Telefon, der sich alle 30 Sekunden ändert.
totp-on-text = Eingeschaltet seit { $date }. Zum Anmelden brauchst du einen Code aus deiner App.
totp-set-up = Authenticator-App einrichten
totp-scan = Scanne diesen Code mit deiner Authenticator-App.
totp-qr = QR-Code des Geheimnisses
totp-type = Oder tippe dieses Geheimnis in die App:
totp-turn-on = Einschalten
totp-remove = App entfernen
totp-remove-text = Danach meldest du dich nur noch mit deinem Passwort an, und deine Wiederherstellungscodes gelten nicht mehr.
totp-removed = Die Authenticator-App ist entfernt

## Wiederherstellungscodes

recovery-codes = Wiederherstellungscodes
recovery-codes-left = { $count } von { $all } Codes sind übrig. Jeder ersetzt einmal einen Code deiner App.
recovery-codes-new = Neue Codes erstellen
recovery-codes-save = Bewahre diese Codes dort auf, wo du sie ohne dein Telefon findest. Jeder gilt einmal anstelle eines Codes deiner App. Sie werden nur jetzt angezeigt.
recovery-codes-saved = Ich habe sie gesichert

## Passkeys

passkeys = Passkeys
passkeys-text = Melde dich mit Fingerabdruck, Gesicht oder Geräte-PIN statt mit einem Passwort an. Einen Passkey kann niemand erraten oder abfangen.
passkey-add = Passkey hinzufügen
passkey-add-text = Dein Browser fragt, welches Gerät oder welcher Passwortmanager den Passkey aufbewahrt.
passkey-create = Passkey erstellen
passkey-name = Name
passkey-name-hint = Woran du ihn erkennst, etwa das Gerät, das ihn aufbewahrt.
passkey-used = Hinzugefügt { $added }, zuletzt benutzt { $used }
passkey-unused = Hinzugefügt { $added }, noch nicht benutzt
passkey-rename = Umbenennen
passkey-remove = Entfernen
passkey-remove-text = Du kannst dich dann nicht mehr mit ihm anmelden. Lösche ihn auch auf deinem Gerät oder im Passwortmanager.
passkey-added = Der Passkey ist hinzugefügt
passkey-renamed = Der Passkey ist umbenannt
passkey-removed = Der Passkey ist entfernt
passkey-sign-in = Mit Passkey anmelden
passkey-confirm = Mit Passkey bestätigen
passkey-failed = Es wurde kein Passkey benutzt. Versuche es noch einmal oder wähle einen anderen Weg.
passkey-needs-script = Passkeys brauchen JavaScript.
second-step-passkey-text = Dieses Konto hat einen zweiten Faktor. Benutze deinen Passkey oder gib einen Wiederherstellungscode ein.

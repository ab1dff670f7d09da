# Agenten und Apps, die eine Person um Zugriff oder Zustimmung bitten.

## Anfragen von Agenten

approvals = Freigaben
approvals-waiting = Wartet auf dich
approvals-none = Keine Anfragen. Agenten fragen, bevor sie einen Build für alle freigeben oder löschen.
approvals-see-activity = Alles, was deine Schlüssel und Apps getan haben, siehst du unter <link>Schlüssel</link>.
approvals-history = Verlauf
approval-requested = Angefragt
approval-request = Anfrage
approval-status = Status
approval-times = { $project } · angefragt am { $requested }, gültig bis { $expires }
approval-approved = erlaubt
approval-denied = abgelehnt
approval-expired = abgelaufen
approval-used = ausgeführt
approval-delete = Version { $version } für { $system } ({ $channel }) samt ihren Dateien löschen
approval-release = Version { $version } für alle Spieler freigeben (stable)
approval-release-part = Version { $version } für { $percent } % der Geräte freigeben (stable)
approval-release-for = { $count ->
    [one] Version { $version } für { $count } Stunde für alle Spieler freigeben (stable)
   *[other] Version { $version } für { $count } Stunden für alle Spieler freigeben (stable)
}
approval-version-of = { $version } von { $app }
approval-version-platforms = { $version } auf allen ihren Plattformen
allow-once = Einmal erlauben
deny = Ablehnen
approve-title = Anfrage freigeben
approve-heading = { $summary }?
approve-text = Dein Agent möchte das in <strong>{ $project }</strong> tun.
outcome-approved = Du hast es erlaubt. Dein Agent kann es jetzt tun.
outcome-denied = Du hast es abgelehnt. Es wird nicht passieren.
outcome-expired = Diese Anfrage ist abgelaufen. Dein Agent kann noch einmal fragen.
outcome-used = Du hast es erlaubt, und dein Agent hat es getan.

## Zugriff von Apps

connect-app = App verbinden
connect-heading = { $app } verbinden?
connect-text = Eine App möchte über { $server } für dich, <strong>{ $username }</strong>, handeln. Der Name oben ist der, den die App sich selbst gibt. Ihre Antworten gehen an <strong>{ $target }</strong>. Wenn du das nicht gerade selbst begonnen hast, wähle „Abbrechen“.
connect-text-described = Eine App, die auf <strong>{ $host }</strong> beschrieben ist, möchte über { $server } für dich, <strong>{ $username }</strong>, handeln. Der Name oben ist der, den die App sich selbst gibt. Ihre Antworten gehen an <strong>{ $target }</strong>. Wenn du das nicht gerade selbst begonnen hast, wähle „Abbrechen“.
connect-on-device = Das ist ein Programm auf deinem Gerät, und jedes Programm dort könnte diesen Namen verwenden. Fahre nur fort, wenn du es selbst gestartet hast.
connect-needs-developer = Dafür brauchst du den Entwicklermodus. <link>Schalte ihn in deinen Einstellungen ein</link> und komm dann auf diese Seite zurück.
connect-operator = Diese App möchte die Rechte eines Betreibers: Sie könnte sehen und ändern, was den ganzen Store und alle Personen darin betrifft. Ihr Zugriff endet sofort, wenn du nicht mehr zu den Betreibern gehörst.
connect-needs-operator = Diese App möchte die Rechte eines Betreibers des Stores. Die können nur Betreiber vergeben.
connect-duration = Der Zugriff gilt höchstens { $days } Tage. Unter <link>Schlüssel</link> kannst du ihn jederzeit widerrufen und sehen, was die App getan hat.
only-project = Nur { $project }
connect = Verbinden
device-title = Gerät anmelden
device-text = Gib den Code ein, den dein Gerät zeigt. <code>slipway login</code> zeigt einen.
device-code = Code
device-code-hint = Acht Buchstaben, zum Beispiel WDJB-MJHT
device-continue = Weiter
device-heading = Auf { $device } anmelden?
device-heading-unnamed = Auf diesem Gerät anmelden?
device-compare = Ein Gerät möchte dein Konto, <strong>{ $username }</strong>, verwenden. Es muss diesen Code zeigen: <strong>{ $code }</strong>
device-can = Es könnte deine Bibliothek, deine Bestellungen und das sehen, was du im Store sehen darfst, und die Spiele herunterladen, die du herunterladen darfst. Es könnte nichts kaufen, bewerten oder ändern.
device-other-network = Dieses Gerät ist nicht im Netz deines Browsers. Wenn dir jemand den Code oder einen Link zu dieser Seite geschickt hat, wähle „Ablehnen“: Diese Person bekäme Zugriff auf deine Bibliothek.
device-warning = Erlaube das nur, wenn du es gerade selbst auf einem deiner Geräte begonnen hast.
device-duration = Das Gerät bleibt höchstens { $days } Tage angemeldet. Unter <link>Schlüssel</link> kannst du es jederzeit abmelden.
device-allow = Erlauben
device-allowed = Dein Gerät ist angemeldet. Dort geht es weiter.
device-denied = Du hast das abgelehnt. Das Gerät ist nicht angemeldet.
cancel = Abbrechen

## Worum Werkzeuge für den Betrieb bitten

approval-decision = { $target }: { $action }
approval-setting = Einstellung { $setting } auf { $value } setzen
approval-setting-default = Einstellung { $setting } auf ihren Standardwert setzen
approval-retry-all = Alle gescheiterten Aufgaben wiederholen
approval-retry = { $count ->
    [one] { $count } gescheiterte Aufgabe wiederholen
   *[other] { $count } gescheiterte Aufgaben wiederholen
}
approval-publish = Erste Veröffentlichung von { $listing } freigeben
approval-decline = Erste Veröffentlichung von { $listing } ablehnen

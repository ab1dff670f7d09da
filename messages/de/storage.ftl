# Speicherplatz: Einstellungen, Ablehnungen, Dashboard und Konsole.

setting-group-storage = Speicherplatz
setting-listing-quota-mib = Speicherplatz eines Eintrags in MiB
setting-listing-quota-mib-hint = Builds, Symbole, Bilder, Videos und was Spieler senden. 0 bedeutet ohne Grenze.
setting-account-quota-mib = Speicherplatz eines Eigentümers in MiB
setting-account-quota-mib-hint = Für alle Einträge zusammen. 0 bedeutet ohne Grenze.
setting-service-quota-mib = Speicherplatz des Stores in MiB
setting-service-quota-mib-hint = Für alle Einträge zusammen. 0 bedeutet ohne Grenze.
setting-player-files-percent = Anteil für Dateien von Spielern in Prozent
setting-player-files-percent-hint = Der Teil jedes Kontingents für Absturzberichte, Logs und Screenshots. Der Rest ist für Entwickler.

refusal-storage-quota-exceeded = Der Speicherplatz ist aufgebraucht. Lösche Dateien, die du nicht mehr brauchst, oder frage die Betreiber nach mehr.
rule-storage-quota = { $level ->
    [listing] Von den { $limit }, die dieses Projekt speichern kann, sind { $free } frei.
    [account] Von den { $limit }, die dem Eigentümer dieses Projekts zustehen, sind { $free } frei.
   *[service] Von den { $limit }, die dieser Store speichern kann, sind { $free } frei.
} { $contact ->
    [none] Lösche Dateien, die du nicht mehr brauchst, oder frage die Betreiber nach mehr.
   *[other] Lösche Dateien, die du nicht mehr brauchst, oder frage nach mehr: { $contact }
}

storage-title = Speicherplatz
storage-used-of = { $used } von { $limit }
storage-nearly-full = Fast voll
storage-developers = Deine Dateien
storage-players = Von Spielern gesendet
storage-own-text = Was alle Projekte speichern, die dir gehören.
storage-ask = { $contact ->
    [none] Lösche Dateien, die du nicht mehr brauchst, oder frage die Betreiber des Stores nach mehr.
   *[other] Lösche Dateien, die du nicht mehr brauchst, oder frage nach mehr: { $contact }
}
storage-kind-builds = Builds
storage-kind-uploads = Offene Uploads
storage-kind-symbols = Debug-Symbole
storage-kind-images = Bilder
storage-kind-videos = Videos
storage-kind-patches = Patches
storage-kind-crashes = Absturzberichte
storage-kind-bug-reports = Fehlerberichte
storage-kind-saves = Spielstände in der Cloud
step-storage = Speicherplatz freigeben: er ist fast voll

## Die Konsole

console-quotas = Speicherplatz
quota-defaults = Voreinstellungen
quota-defaults-text = Das sind <link>Einstellungen</link>. Ausnahmen für eine Person oder einen Eintrag gehen vor.
quota-default-listing = Ein Eintrag
quota-default-account = Alle Einträge eines Eigentümers
quota-default-service = Der Store
quota-players = Anteil für Dateien von Spielern
quota-players-percent = { $percent } %
quota-unlimited = Ohne Grenze
quota-name = Name
quota-used = Gespeichert
quota-allowed = Erlaubt
quota-is-exception = Ausnahme
quota-exceptions = Ausnahmen
quota-no-exceptions = Keine Ausnahmen. Die Voreinstellungen gelten für alle.
quota-note = Notiz
quota-note-hint = Der Grund, für andere Betreiber.
quota-set = Festgelegt
quota-action = Aktion
quota-remove = Entfernen
quota-remove-text = Für { $name } gilt wieder die Voreinstellung. Nichts wird gelöscht.
quota-removed = Ausnahme entfernt
quota-new = Ausnahme hinzufügen oder ändern
quota-type = Für
quota-target-person = Person
quota-target-listing = Eintrag
quota-target = Name
quota-target-hint = Ein Nutzername oder der Name in der Adresse eines Eintrags.
quota-gib = Speicherplatz in GiB
quota-gib-hint = Leer für ohne Grenze.
quota-set-it = Ausnahme speichern
quota-saved = Ausnahme gespeichert
quota-largest-people = Personen, die am meisten speichern
quota-largest-listings = Einträge, die am meisten speichern
rule-quota-person = Diese Person gibt es nicht.
rule-quota-listing = Diesen Eintrag gibt es nicht.

# Die Konsole für alle, die den Store betreiben.

console-sections = Konsole
console-settings = Einstellungen

## Einstellungen

console-settings-text = Änderungen gelten innerhalb einer Sekunde für den ganzen Store. Ein leeres Feld bedeutet die Voreinstellung.
console-save = Änderungen speichern
console-saved = Einstellungen gespeichert
setting-group-identity = Auftritt
setting-group-access = Was der Store zulässt
setting-group-prices = Preise und Gebühren
setting-store-name = Name des Stores
setting-store-name-hint = In der Kopfzeile, in Mails, Feeds und Linkvorschauen.
setting-powered-by = Software in der Fußzeile und in Feeds nennen
setting-adult-content = Inhalte für Erwachsene
setting-adult-content-hint = Solange das aus ist, sehen nur die Eigentümer ihre Einträge mit Inhalten für Erwachsene.
setting-paid-listings = Preise
setting-paid-listings-hint = Solange das aus ist, bleiben Preise von früher, aber niemand kann einen Preis setzen.
setting-asset-types = Arten neuer Einträge
setting-asset-types-hint = Einträge anderer Arten bleiben.
setting-asset-types-game = Spiel
setting-asset-types-application = Anwendung
setting-asset-types-tool = Tool
setting-asset-types-mod = Mod
setting-asset-types-plugin = Plugin
setting-asset-types-game-asset = Spiel-Asset
setting-asset-types-dev-asset = Entwickler-Asset
brand-preview = Vorschau
brand-preview-button = Herunterladen
setting-group-branding = Gestaltung
setting-tagline = Slogan
setting-tagline-hint = Worum es im Store geht, in einem Satz. Suchmaschinen und Linkvorschauen zeigen ihn.
setting-contact = Kontakt
setting-contact-hint = Eine E-Mail-Adresse oder die https-Adresse einer Seite. Auf jeder Seite verlinkt.
setting-accent-color = Akzentfarbe
setting-accent-color-hint = Für Schaltflächen und Markierungen, zum Beispiel #1b6f5c. Text in dieser Farbe muss lesbar sein: mit einem Kontrast von mindestens 4,5:1 zum hellen Hintergrund.
setting-accent-color-dark = Akzentfarbe im dunklen Design
setting-accent-color-dark-hint = Ist das Feld leer, wird die Akzentfarbe aufgehellt.
setting-footer-links = Links in der Fußzeile
setting-footer-links-hint = Bis zu 12. Adressen beginnen mit https://, mailto: oder /. Speichere, um weitere leere Zeilen zu erhalten.
setting-footer-links-label = Beschriftung
setting-footer-links-url = Adresse
setting-announcement = Ankündigung
setting-announcement-hint = Ein Balken über jeder Seite, den man schließen kann.
setting-announcement-text = Text
setting-announcement-url = Link
setting-announcement-starts-on = Erster Tag
setting-announcement-ends-on = Letzter Tag
# The label of a field in a row of a list, for screen readers.
setting-row = { $field }, Zeile { $row }
setting-min-price-cents = Niedrigster Preis in Cent
setting-max-price-cents = Höchster Preis in Cent
setting-sale-fee-fixed-cents = Feste Verkaufsgebühr in Cent
setting-sale-fee-percent = Verkaufsgebühr in Prozent des Preises
setting-editions-max = Editionen pro Eintrag
setting-editions-max-hint = Wie viele ein Eintrag haben darf.
setting-refund-window-hours = Rückgabefrist in Stunden
setting-refund-window-hours-hint = Wie lange ein Kauf zurückgegeben werden kann.
# Variables: $variable (String): the name of an environment variable.
setting-is-fixed = Durch die Umgebungsvariable { $variable } festgelegt. Ändere sie dort und starte den Store neu.
setting-is-default = Voreinstellung
setting-is-on = An
setting-is-off = Aus
setting-is-empty = Leer
setting-changes = Änderungen
setting-changes-none = Noch hat niemand eine Einstellung geändert.
setting-change-setting = Einstellung
setting-change-before = Vorher
setting-change-after = Nachher
setting-change-person = Geändert von
setting-change-time = Zeit
console-nobody = Kommandozeile oder gelöschtes Konto

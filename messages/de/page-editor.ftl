# Die Seite eines Projekts, seine Pressemappe, Links und Editionen.

## Seite

editor-save = Änderungen speichern
editor-saved = Änderungen gespeichert
editor-unchanged = Es hat sich nichts geändert
editor-text = Text
editor-discovery = Auffindbarkeit
editor-discovery-text = Diese Angaben nutzen die Suche, die Regale und die Hinweise auf deiner Seite.
not-specified = Keine Angabe
label-up-to = { $label }, höchstens { $max }
label-range = { $label }, { $min } bis { $max }
label-numbered = { $label } { $number }
flag-of-row = { $flag }<hidden>, { $label }</hidden>
https-only = nur https

## Links

store-links = Andere Stores
store-links-text = Wo man es sonst noch bekommt. Lass ein Feld leer, um den Link zu entfernen.
store-link-hint = Ein https-Link auf { $hosts }
store-link-hint-others = Ein https-Link auf { $hosts } und andere
store-links-save = Links speichern
store-links-saved = Links gespeichert

## Pressemappe

kit = Pressemappe
kit-audience = Für Presse und Content Creator
kit-page-hidden = Die Presseseite erscheint, sobald deine Seite öffentlich oder über den Link erreichbar ist.
kit-page-shown = Erscheint mit deinen Bildern und Fakten auf der <link>Presseseite</link> und im Presse-Zip.
kit-release-date = Erscheinungsdatum
kit-release-date-hint = In beliebiger Form, zum Beispiel „Frühjahr 2027“.
kit-contact = Pressekontakt
kit-website = Website
kit-trailer = Trailer
kit-history = Geschichte
kit-features = Merkmale
kit-awards = Auszeichnungen
kit-links = Links
kit-quotes = Zitate
kit-team = Team
kit-line-hint = Ein Eintrag pro Zeile.
kit-links-hint = Ein Eintrag pro Zeile: Bezeichnung | https://…
kit-quotes-hint = Ein Eintrag pro Zeile: Zitat | Quelle | https://… (Link optional)
kit-team-hint = Ein Eintrag pro Zeile: Name | Rolle
kit-save = Pressemappe speichern
kit-saved = Pressemappe gespeichert

## Editionen

edition = Edition
edition-list = Editionen
edition-list-text = Verkaufe mehrere Editionen zu verschiedenen Preisen. Der Eintrag zeigt den Preis der günstigsten Edition im Verkauf.
edition-add = Edition hinzufügen
edition-new = Neue Edition
edition-new-of = Neue Edition von { $project }
edition-details = Angaben zur Edition
edition-name = Name
edition-slug = Kurzname
edition-slug-hint = Kleinbuchstaben, Ziffern und Bindestriche.
edition-kind = Art
edition-price = Preis
edition-price-dollars = Preis in US-Dollar
edition-position = Position in der Liste
edition-contents = Inhalt
edition-bundle = Enthaltene Einträge
edition-bundle-hint = Nur für Bundles: deine anderen Einträge, eine Adresse pro Zeile, höchstens { $max }.
edition-active = Im Verkauf
edition-on-sale = im Verkauf
edition-off-sale = nicht im Verkauf
edition-save = Edition speichern
edition-saved = Edition gespeichert
edition-retire-title = Edition einstellen
edition-retire = Einstellen …
edition-retire-text = Die Edition wird nicht mehr verkauft. Wer sie besitzt, behält sie.
edition-retire-confirm = { $name } einstellen
edition-retired = Edition eingestellt

## Einstellungen

settings-general = Art, Adresse und Lizenz
settings-save = Einstellungen speichern
settings-saved = Einstellungen gespeichert
visibility-title = Sichtbarkeit
visibility-label = Wer kann die Seite öffnen?
visibility-save = Sichtbarkeit speichern
visibility-saved = Sichtbarkeit gespeichert
visibility-published = Veröffentlicht. Jetzt können alle die Seite öffnen.
price-of-editions = Der Preis ist der der günstigsten Edition im Verkauf: <strong>{ $price }</strong>.
price-hint = 0 bedeutet kostenlos.
price-save = Preis speichern
price-saved = Preis gespeichert
anonymous-title = Anonyme Downloads
anonymous-text = Für kostenlose Projekte: Alle können ohne Konto herunterladen. Jeder Download wird gezählt.
anonymous-on = eingeschaltet
anonymous-off = ausgeschaltet
anonymous-confirm = Mir ist klar, dass ein anonymer Download keine Lizenz erteilt und in keiner Bibliothek erscheint und dass ich ihn nicht zurücknehmen kann.
anonymous-turn-on = Anonyme Downloads einschalten
anonymous-turn-off = Anonyme Downloads ausschalten
anonymous-off-text = Zum Herunterladen braucht man dann ein Konto. Wer die Dateien schon hat, behält sie.
anonymous-is-on = Anonyme Downloads sind eingeschaltet
anonymous-is-off = Anonyme Downloads sind ausgeschaltet

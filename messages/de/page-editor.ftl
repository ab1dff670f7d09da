# Die Seite eines Projekts, seine Pressemappe, Links und Editionen.

## Seite

editor-save = Änderungen speichern
editor-saved = Änderungen gespeichert
editor-preview = Textvorschau
editor-preview-close = Schließen
editor-preview-empty = Die Beschreibung ist leer.
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

## Bilder

images-added = Bilder hinzugefügt
image-moved = Bild verschoben
image-alt = Was das Bild zeigt
image-alt-hint = Für alle, die es nicht sehen können, und als Bildunterschrift. Mehrere Bilder kannst du nach dem Hochladen einzeln in der Galerie beschreiben.
image-alt-of = Was zu sehen ist<hidden> auf Bild { $number }</hidden>
image-alt-save = Text speichern
image-alt-saved = Text des Bildes gespeichert
image-removed = Bild entfernt
image-none = Noch kein Bild.
image-remove = Entfernen
image-earlier = Nach vorne
image-later = Nach hinten
image-upload = Hochladen
image-cover = Titelbild
image-cover-text = Das große Bild oben auf deiner Seite und in Linkvorschauen.
image-cover-alt = Das Titelbild von { $name }
image-thumbnail = Vorschaubild
image-thumbnail-text = Erscheint in Listen und Regalen.
image-thumbnail-alt = Das Vorschaubild von { $name }
image-gallery = Galerie ({ $count } von { $max })
image-gallery-text = Eine öffentliche Seite braucht mindestens { $min } Bilder. Ordne sie durch Ziehen oder mit den Schaltflächen.
image-gallery-alt = Bild { $number } der Galerie
image-drop = Zieh ein Bild hierher oder wähle eine Datei
image-drop-several = Zieh Bilder hierher oder wähle Dateien
image-rules = PNG, JPEG, GIF oder WebP; 16:9, { $min } bis { $max } Pixel, höchstens { $bytes }
image-size = { $width } × { $height }
image-pixels = { $width } × { $height } Pixel
image-not-image = Das ist kein PNG-, JPEG-, GIF- oder WebP-Bild.
image-damaged = Es ist beschädigt, abgeschnitten oder zu groß zum Öffnen. Exportiere es neu.
image-not-profile-image = Das ist kein PNG-, JPEG- oder WebP-Bild.
image-too-small = Das Bild hat { $size } und braucht mindestens { $min }.
image-too-wide = Das Bild hat { $size }, höchstens { $max } sind erlaubt.
image-wrong-ratio = Das Bild hat { $size }. Breite und Höhe müssen im Verhältnis 16:9 stehen, zum Beispiel { $example }.
image-too-many-bytes = Das Bild hat { $size }, höchstens { $max } sind erlaubt.
image-over-bytes = Das Bild hat mehr als { $max }.
image-megapixels = Das Bild hat { $size }. Erlaubt sind höchstens { $max } Millionen Pixel.
image-missing = Wähle ein Bild.
image-count = { $count ->
    [one] Wähle { $count } Bild.
   *[other] Wähle 1 bis { $count } Bilder.
}
image-send-again = Das Bild konnte gerade nicht gespeichert werden. Sende es noch einmal.
image-numbered = Bild { $number }: { $problems }
image-named = { $file }: { $problems }
image-failed = Das Hochladen ist fehlgeschlagen (Status { $status }). Versuch es noch einmal.
image-unreachable = Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuch es noch einmal.
crop-open = Zuschneiden …
crop-title = Bild zuschneiden
crop-text = Zieh das Bild oder benutze die Regler. Der helle Ausschnitt wird hochgeladen.
crop-canvas = Das Bild mit dem Ausschnitt, der hochgeladen wird
crop-width = Breite
crop-x = Waagerechte Position
crop-y = Senkrechte Position
crop-result = Ergebnis: { $size }
crop-upload = Diesen Ausschnitt hochladen

## Trailer

trailers-of-project = Trailer ({ $count } von { $max })
trailers-of-project-text = Videos auf deiner Seite, über der Beschreibung. Ein hochgeladenes Video ist öffentlich, sobald es auf Viren geprüft wurde.
trailer-numbered = Trailer { $number }
trailer-no-poster = Kein Startbild
trailer-add-file = Video hochladen
trailer-add-outside = Video verlinken
trailer-video = Video
trailer-video-hint = MP4 oder WebM, höchstens { $size }. H.264 und VP9 laufen in den meisten Browsern.
trailer-replace-video = Video ersetzen
trailer-title = Titel
trailer-poster = Startbild
trailer-poster-hint = Das Bild, bevor das Video läuft: 16:9, { $min } bis { $max } Pixel, höchstens { $bytes }. Ohne Startbild ist das Titelbild zu sehen.
trailer-captions-file = Untertitel
trailer-captions-hint = Eine WebVTT-Datei, höchstens { $size }. Füge für jede Sprache eine hinzu.
trailer-language = Sprache der Untertitel
trailer-language-hint = Ein Sprachcode wie de oder pt-BR
trailer-url = Adresse des Videos
trailer-url-hint = Ein Video auf YouTube, Vimeo oder PeerTube ({ $hosts }). Besucher laden von dort nichts, bevor sie es starten.
trailer-upload = Video hochladen
trailer-add = Video hinzufügen
trailer-edit = Bearbeiten
trailer-save = Änderungen speichern
trailer-remove-poster = Startbild entfernen
trailer-remove-captions = Entfernen<hidden>: Untertitel, { $language }</hidden>
trailer-remove-text = Das Video, sein Startbild und seine Untertitel werden gelöscht. Das lässt sich nicht rückgängig machen.
trailer-scanning = Besucher sehen es nach der Prüfung.
trailer-added = Video hochgeladen. Nach der Prüfung ist es auf deiner Seite.
trailer-outside-added = Video hinzugefügt
trailer-saved = Trailer gespeichert
trailer-moved = Trailer verschoben
trailer-removed = Trailer entfernt
trailer-poster-removed = Startbild entfernt
trailer-captions-removed = Untertitel entfernt
trailer-too-large = Das Video hat { $size }, höchstens { $max } sind erlaubt.
trailer-progress = { $done } von { $size }
trailer-checking = Die Dateien werden geprüft …

## Beziehungen

parent-title = Übergeordneter Eintrag
parent-game = Spiel oder Anwendung in diesem Store
parent-game-hint = Such nach dem Namen oder gib die Adresse ein, zum Beispiel mein-spiel.
parent-game-hint-required = Such nach dem Namen oder gib die Adresse ein, zum Beispiel mein-spiel. Zum Veröffentlichen nötig, außer es gibt ihn nur anderswo.
parent-external = Oder anderswo erhältlich
parent-external-hint = Der Name
parent-link = Link dorthin
similar-title = Ähnliche Titel
similar-text = Deine Seite wird denen vorgeschlagen, die diese Titel spielen.
similar-label = Ähnliche Titel, höchstens { $max }
similar-hint = <noscript>Eine Adresse pro Zeile, zum Beispiel mein-spiel.</noscript> Der ähnlichste zuerst.
uses-title = Abhängigkeiten
uses-label = Andere Einträge
uses-supports = Unterstützt
uses-kind = Art { $number }
uses-listing = Eintrag { $number }
uses-placeholder = Name oder Adresse eines Eintrags
uses-hint = Verwendet: ein Asset-Paket oder Plugin. Unterstützt: wofür ein Mod gedacht ist. Gemacht mit: ein Werkzeug. Leere Zeilen zählen nicht.
engines-title = Engine-Versionen
engines-text = Für Mods, Plugins und Assets: die Engine-Versionen, mit denen sie funktionieren.
engines-label = Unterstützte Versionen
engines-hint = Eine Obergrenze wie 4.3 schließt alle ihre Patch-Versionen ein. Ein leeres Feld bedeutet: keine Grenze.
engines-engine = Engine { $number }
engines-min = Kleinste Version { $number }
engines-max = Größte Version { $number }
engines-renderer = Renderer { $number }
engines-system = System { $number }
engines-engine-example = Engine
engines-min-example = von
engines-max-example = bis
engines-renderer-example = Renderer
mod-title = Installation
mod-folder = Ordner
mod-folder-hint = Im Ordner des Spiels, zum Beispiel mods/mein-mod.
mod-loader-label = Mod-Loader
mod-loader-hint = Sein Kurzname, falls einer nötig ist.
mod-instructions = Anleitung
mod-instructions-hint = Markdown.
picker-list = Einträge
picker-search = Eintrag suchen
picker-none = Kein Eintrag gefunden
picker-found-one = 1 Eintrag gefunden
picker-found = { $count } Einträge gefunden
picker-chosen = { $name } ausgewählt
picker-earlier = Nach vorne
picker-earlier-named = { $name } nach vorne
picker-remove = Entfernen
picker-remove-named = { $name } entfernen

## Übersetzungen

translation-add = Sprache hinzufügen
translation-language = Sprachcode
translation-code-example = de oder pt-BR
translation-tagline = Kurzbeschreibung
translation-description = Beschreibung

## What the store allows

adult-content-off = Dieser Store lässt keine Inhalte für Erwachsene zu.
paid-listings-off = Dieser Store hat nur kostenlose Einträge. Preise von früher bleiben, bis du sie änderst.
paid-listings-off-hint = Dieser Store hat nur kostenlose Einträge. Gib 0 ein.
listing-withheld = Dieser Store lässt keine Inhalte für Erwachsene zu. Nur wem das Projekt gehört, kann diese Seite öffnen; sonst findet sie niemand.

## Angaben, die die Moderation festgelegt hat

# Variables: $values (String): what they set, such as Gore.
label-locked-added = Die Moderation hat festgelegt: { $values }. Nur sie kann das ändern.
# Variables: $values (String): what they removed.
label-locked-removed = Die Moderation hat entfernt: { $values }. Nur sie kann es wieder hinzufügen.
label-locked-why = <link>Lies die Begründung</link>; dort kannst du widersprechen.
label-locked-why-owner = Die Begründung hat, wem der Eintrag gehört; diese Person kann widersprechen.

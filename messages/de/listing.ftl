# Die Seite eines Eintrags, seine Presseseite, sein Widget und die Formulare der Spieler.

## Titel und Text

by-developer = von { $developer }
kind-for-parent = { $kind } für { $parent }
rating-of-five = { $count ->
    [one] { $average } von 5 ({ $count } Rezension)
   *[other] { $average } von 5 ({ $count } Rezensionen)
}
updated-at = Aktualisiert am { $date }
about = Beschreibung
no-description = Noch gibt es hier keine Beschreibung.
similar = Ähnliches
similar-picked = Ausgewählt von { $username }.
changelog = Änderungen
installation = Installation
install-path = Installationspfad
mod-loader = Loader
plain-text = Als Text

## Hinweise für die, denen die Seite gehört

unlisted-notice = Nicht gelistet: Nur wer den Link hat, findet diese Seite.
draft-notice = <strong>Noch nicht erschienen.</strong> Nur du und die Admins deines Projekts können diese Seite öffnen. Sie erscheint nicht in der Suche, und niemand kann sich ein Exemplar holen oder kaufen. <edit>Bearbeiten</edit>
owner-only-notice = <strong>Noch nicht erschienen.</strong> Nur wem das Projekt gehört, kann diese Seite öffnen. Sie erscheint nicht in der Suche, und niemand kann sich ein Exemplar holen oder kaufen. <edit>Bearbeiten</edit>
editor-notice = Du verwaltest diese Seite. <link>Im Dashboard öffnen</link>

## Bilder

images-of = Bilder von { $name }
carousel = Karussell
cover-alt = Titelbild von { $name }
thumbnail-alt = Vorschaubild von { $name }
screenshot-alt = Screenshot { $number } von { $name }
previous-image = Vorheriges Bild
next-image = Nächstes Bild
close-image = Schließen
image-position = { $number } von { $count }

## Trailer

trailers-title = { $count ->
    [one] Trailer
   *[other] Trailer
}
trailer-of = Trailer zu { $name }
trailer-play = Abspielen: { $title }
trailer-captions = Untertitel: { $languages }
trailer-outside-note = Kommt von { $host }. Von dort wird nichts geladen, bevor du das Video startest.
trailer-cannot-play = Dein Browser kann dieses Video nicht abspielen. Du kannst es stattdessen <link>herunterladen</link>.

## Hinweise unter dem Titel

at-a-glance = Auf einen Blick
scanned = Geprüft
being-scanned = Wird geprüft
scanned-text = Jede Datei wird auf Viren geprüft, bevor jemand sie herunterladen kann. Eine Prüfung findet bekannte Bedrohungen, garantiert aber nicht, dass eine Datei harmlos ist.
authorship-human = Laut den Entwicklern haben Menschen das gemacht, ohne KI-Agenten.
authorship-human-agent = Laut den Entwicklern haben Menschen das zusammen mit KI-Agenten gemacht.
authorship-agent-heavy = Laut den Entwicklern haben KI-Agenten das meiste davon gemacht.
authorship-note = { $statement } Ihre Anmerkung: { $note }
ai-uses = KI: { $uses }
ai-uses-text = Laut den Entwicklern stammen diese Teile von generativer KI.
no-ai = Keine KI-Inhalte angegeben
no-ai-text = Die Entwickler nennen keinen Teil, der mit generativer KI entstanden ist.
content-warnings-text = Inhaltswarnungen der Entwickler. In der Suche kannst du solche Inhalte ausschließen.
enjoyed-percent = { $percent } % hat es gefallen
enjoyed-text = { $count ->
    [one] { $enjoyed } von { $count } Rezension von Spielern, die ein Exemplar haben.
   *[other] { $enjoyed } von { $count } Rezensionen von Spielern, die ein Exemplar haben.
}

## Downloads

price-from = <small>ab</small> { $price }
download = Herunterladen
view = Ansehen
download-for = Herunterladen<hidden> für { $name }</hidden>
download-for-system = Für { $system } herunterladen
sign-in-to-download = Anmelden und herunterladen
sign-in-to-download-for = Anmelden und herunterladen<hidden> für { $name }</hidden>
sign-in-to-download-for-system = Anmelden und für { $system } herunterladen
other-systems = Andere Systeme
no-build-for = Für { $system } gibt es noch keinen Build.
no-downloads = Noch keine Downloads.
other-programs = Weitere Programme dieses Projekts
watch-video = Video ansehen
not-for-sale = Hier noch nicht zu kaufen
not-for-sale-text = <strong>Hier noch nicht zu kaufen.</strong> Die Entwickler können dir ein Exemplar geben, das dann in deiner Bibliothek erscheint.
browser-build = Browser-Build
browser-build-text = Ein Build für Webbrowser, als ZIP zum Entpacken und Bereitstellen. Er läuft nicht direkt hier.
plays-in-browser = Läuft im Browser
play-now = Jetzt spielen
checksum-and-origin = Prüfsumme und Herkunft
editions = Editionen

## Teilen

share = Teilen
share-and-embed = Teilen oder einbetten
share-link = Link
embed-code = Code für andere Websites

## Dateien

origin = Herkunft
scans = Prüfungen
scan-limits = Eine Prüfung findet bekannte Bedrohungen. Sie garantiert nicht, dass eine Datei harmlos ist.
scans-and-origin = Prüfungen und Herkunft
file-name = Datei
file-version = Version
file-channel = Kanal
file-size = Größe
file-source = Quelle
file-uploaded = Hochgeladen
file-history = Verlauf
scanner-upload = Upload
scanner-embedded = eingebauter Scanner
origin-website = Über die Website hochgeladen
origin-machine = Ein Build-Server
origin-machine-key = Ein Build-Server mit dem Schlüssel { $key }

## Das eigene Exemplar

added-to-library = Zu deiner Bibliothek hinzugefügt
add-to-library = Zur Bibliothek hinzufügen
in-library = In deiner Bibliothek
in-library-since = In deiner Bibliothek seit { $date }
join-beta = Beta beitreten
leave-beta = Beta verlassen
beta-joined = Du bist jetzt in der Beta
beta-left = Du hast die Beta verlassen
no-beta-build = Du bist in der Beta. Im Moment gibt es keinen Beta-Build.
verify-to-keep = Du kannst das jetzt herunterladen. Damit es in deiner Bibliothek bleibt, <link>bestätige deine E-Mail-Adresse</link>.
verify-to-download = <link>Bestätige deine E-Mail-Adresse</link>, um das herunterzuladen.

## Details

details = Details
platforms = Plattformen
works-with = Funktioniert mit
made-for = Gemacht für
published-on = Veröffentlicht
updated-on = Aktualisiert
community-tags = Tags der Community
version-range = { $min } bis { $max }
version-from = ab { $min }
version-up-to = bis { $max }

requirements-of = Anforderungen unter { $system }

## Verwandte Einträge

more-about = Mehr zu { $name }
mods = Mods und Plugins
tools = Tools und Hilfsprogramme
mods-of = Mods und Plugins für { $name }
tools-of = Tools und Hilfsprogramme für { $name }
mods-description = { $count ->
    [one] { $count } Mod oder Plugin für { $name }.
   *[other] { $count } Mods und Plugins für { $name }.
}
tools-description = { $count ->
    [one] { $count } Tool oder Hilfsprogramm für { $name }.
   *[other] { $count } Tools und Hilfsprogramme für { $name }.
}
mods-none = Noch keine Mods und Plugins. <publish>Veröffentliche den Anfang</publish> und wähle { $name } als Hauptprodukt.
tools-none = Noch keine Tools und Hilfsprogramme. <publish>Veröffentliche den Anfang</publish> und wähle { $name } als Hauptprodukt.
listings-by = Von { $username }
listings-by-others = Von anderen
relation-uses = Verwendet
relation-made-with = Gemacht mit
relation-used-by = Verwendet von
relation-supported-by = Mods und Plugins
relation-mods = Mods für dieses Spiel
relation-used-to-make = Damit gemacht
and-more = und { $count } weitere

## Rezensionen

reviews = Rezensionen
reviews-of = Rezensionen zu { $name }
review-count-of = { $count ->
    [one] { $count } Rezension zu { $name }
   *[other] { $count } Rezensionen zu { $name }
}
all-reviews = { $count ->
    [one] { $count } Rezension ansehen
   *[other] Alle { $count } Rezensionen
}
no-reviews = Noch keine Rezensionen. Wer ein Exemplar hat, kann eine schreiben.
review-average = { $count ->
    [one] <strong>{ $average }</strong> <soft>von 5, aus { $count } Rezension</soft>
   *[other] <strong>{ $average }</strong> <soft>von 5, aus { $count } Rezensionen</soft>
}
reviews-by-quality = Rezensionen nach Bewertung der Qualität
with-friends = { $count ->
    [one] { $count } Spieler würde es mit Freunden spielen
   *[other] { $count } Spieler würden es mit Freunden spielen
}
enjoyed = Hat gefallen
did-not-enjoy = Hat nicht gefallen
reply = Antwort der Entwickler
reply-dated = Antwort der Entwickler, { $date }

## Formulare der Spieler

write-review = Rezension schreiben
edit-review = Deine Rezension bearbeiten
review-title = { $name } rezensieren
review-enjoyed = Hat es dir gefallen?
answer-yes = Ja
answer-no = Nein
review-quality = Qualität
points-of-five = { $points } von 5
review-with-friends = Ich würde es mit Freunden spielen
review-text = Rezension
review-text-hint = Markdown. Was hättest du gern vorher gewusst?
publish-review = Rezension veröffentlichen
save-review = Rezension speichern
review-published = Deine Rezension ist veröffentlicht
delete-your-review = Deine Rezension löschen
delete-review = Rezension löschen
delete-confirm = Ja, löschen
check-to-confirm = Setze zur Bestätigung das Häkchen
review-deleted = Deine Rezension ist gelöscht
suggest-tags = Tags vorschlagen
suggest-tags-title = Tags für { $name } vorschlagen
tags-label = Tags, durch Kommas getrennt
tags-hint = Höchstens { $max }. Ein Tag erscheint, sobald { $votes } Spieler es vorgeschlagen haben. Lass das Feld leer, um deine Vorschläge zurückzuziehen.
tags-suggested = Danke für deine Vorschläge
report-bug = Fehler melden
copy-needed = Nur wer { $name } in der Bibliothek hat, kann den Entwicklern Fehler melden. <link>Hol es dir zuerst auf seiner Seite</link>.
report-bug-title = Fehler in { $name } melden
bug-message = Was ist passiert?
bug-message-hint = Was du getan hast, was du erwartet hast und was stattdessen passiert ist.
bug-system = Betriebssystem
bug-log = Protokoll
bug-log-hint = Am meisten helfen die letzten Zeilen. Nur die Entwickler sehen sie.
send-report = Meldung senden
report-sent = Deine Meldung ist gesendet. Wir sagen dir Bescheid, wenn der Fehler behoben ist.

## Inhalte für Erwachsene

adult-title = Inhalte für Erwachsene
adult-gate = Diese Seite enthält sexuelle Inhalte oder Nacktheit. Sie wird nur Personen ab 18 gezeigt, die Inhalte für Erwachsene in ihren Einstellungen eingeschaltet haben.
adult-confirm = Ich bin mindestens 18 Jahre alt
adult-confirm-first = Bestätige zuerst, dass du mindestens 18 Jahre alt bist
adult-show = Inhalte für Erwachsene zeigen
adult-is-shown = Inhalte für Erwachsene werden gezeigt
adult-is-hidden = Inhalte für Erwachsene sind ausgeblendet
back-to-store = Zurück zum Store

## Presseseite

press-kit = Pressemappe
press-title = Pressemappe zu { $name }
press-download = Alles als ZIP herunterladen
store-page = Seite im Store
press-history = Geschichte
press-features = Merkmale
press-awards = Auszeichnungen
press-quotes = Pressestimmen
press-changes = Letzte Änderungen
press-images = Bilder
press-contact = Kontakt
press-team = Team
press-links = Links
factsheet = Auf einen Blick
release-date = Erscheinungsdatum
website = Website
trailer = Trailer
watch = Ansehen

## Übersetzungen

translation-shown = Angezeigt auf { $language }, übersetzt vom Entwickler. <link>Original anzeigen</link>
translation-original = Das ist der Originaltext. <link>Auf { $language } anzeigen</link>

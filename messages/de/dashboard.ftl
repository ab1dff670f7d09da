# Das Dashboard: Projekte, ihr Rahmen, die Prüfung des Eintrags und die Personen eines Projekts.

## Rahmen eines Projekts

sections-store-page = Store-Seite
sections-builds = Builds
sections-insights = Auswertung
sections-team = Team
section-overview = Übersicht
section-reviews = Rezensionen
section-page = Seite
section-images = Bilder und Trailer
section-builds = Builds
section-health = Stabilität
section-downloads = Downloads
section-crashes = Abstürze
section-bugs = Fehler
section-press = Presse
section-links = Links
section-external-store = Steam
section-people = Personen
section-settings = Einstellungen
project-page-title = { $title } · { $project }
project-sections = Bereiche von { $project }
project-view-page = Seite ansehen
dashboard-projects = Projekte

## Knöpfe und Werte mehrerer Seiten

turn-on = Einschalten
turn-off = Ausschalten …
owner-only = Das kann nur ändern, wem das Projekt gehört.
role-owner = Inhaber
role-admin = Admin
role-invited = eingeladen
markdown-hint = Markdown.

## Übersicht eines Projekts

overview-next = Als Nächstes
overview-nothing = Im Moment ist nichts zu tun.
overview-no-tagline = Noch keine Kurzbeschreibung
overview-launch-health = Startverhalten
overview-health-alarm = startet schlecht
overview-downloads-peak = { $days ->
    [one] { $total } am letzten Tag, höchstens { $peak } pro Tag
   *[other] { $total } in den letzten { $days } Tagen, höchstens { $peak } pro Tag
}
figure-active-today = { $count ->
    [one] <strong>{ $count }</strong> aktives Gerät heute
   *[other] <strong>{ $count }</strong> aktive Geräte heute
}
figure-open-bugs = { $count ->
    [one] <strong>{ $count }</strong> offener Fehler
   *[other] <strong>{ $count }</strong> offene Fehler
}
figure-open-crashes = { $count ->
    [one] <strong>{ $count }</strong> offener Absturz
   *[other] <strong>{ $count }</strong> offene Abstürze
}
step-health = Herausfinden, warum der stabile Build schlecht startet
step-regressed-crashes = { $count ->
    [one] Einen Absturz ansehen, der wieder auftritt
   *[other] { $count } Abstürze ansehen, die wieder auftreten
}
step-fix-public = { $count ->
    [one] { $count } Punkt der öffentlichen Seite beheben
   *[other] { $count } Punkte der öffentlichen Seite beheben
}
step-fix = { $count ->
    [one] { $count } Punkt vor dem Veröffentlichen beheben
   *[other] { $count } Punkte vor dem Veröffentlichen beheben
}
step-publish = Seite veröffentlichen
step-crashes = { $count ->
    [one] { $count } offenen Absturz ansehen
   *[other] { $count } offene Abstürze ansehen
}
step-bugs = { $count ->
    [one] { $count } offenen Fehler bearbeiten
   *[other] { $count } offene Fehler bearbeiten
}
step-reviews = { $count ->
    [one] { $count } Rezension beantworten
   *[other] { $count } Rezensionen beantworten
}
step-events = Startereignisse aus dem Spiel senden
step-suggestions = { $count ->
    [one] Seite verbessern: { $count } Vorschlag
   *[other] Seite verbessern: { $count } Vorschläge
}

## Liste der Projekte

projects-title = Deine Projekte
project-updated = geändert am { $date }
projects-unverified = Bestätige deine E-Mail-Adresse, bevor du etwas hochlädst oder veröffentlichst. <link>Jetzt bestätigen</link>
project-new = Neues Projekt
projects-create-first = Erstes Projekt anlegen
projects-import = Von Steam importieren
projects-none = Noch nichts auf der Helling
projects-none-text = Ein Projekt beginnt als Entwurf, den nur du öffnen kannst. Fülle seine Seite aus und veröffentliche es, sobald die Prüfung bestanden ist.
invites = Einladungen
invite-text = <strong>{ $person }</strong> lädt dich ein, bei <strong>{ $project }</strong> mitzuarbeiten.
invite-terms = Wenn du annimmst, schaltest du auch den Entwicklermodus ein und stimmst den Bedingungen für Entwickler zu.
invite-accept = Annehmen
invite-decline = Ablehnen
invite-accepted = Einladung angenommen
invite-declined = Einladung abgelehnt

## Entwicklermodus

developer-title = Eigene Werke veröffentlichen
developer-text = Im Entwicklermodus kannst du Projekte anlegen, Builds hochladen und veröffentlichen. Er ist kostenlos, und du kannst ihn ausschalten, solange du an keinem Projekt beteiligt bist.
developer-accept-terms = Ich akzeptiere die Bedingungen für Entwickler: Ich darf veröffentlichen, was ich hochlade, es schadet niemandem, und seine Seite beschreibt es ehrlich.
developer-turn-on = Entwicklermodus einschalten
developer-is-on = Der Entwicklermodus ist eingeschaltet

## Neues Projekt

project-new-text = Es beginnt als Entwurf, den nur du öffnen kannst.
project-new-import = Schon auf Steam? <link>Seite importieren</link>.
project-address-hint = Kleinbuchstaben, Ziffern und Bindestriche. Bleibt das Feld leer, wird die Adresse aus dem Namen gebildet.
project-create = Entwurf anlegen
project-created = Entwurf angelegt. Die Prüfung zeigt, was noch fehlt.

## Prüfung des Eintrags

listing-check = Prüfung des Eintrags
listing-check-passed = Alles in Ordnung
listing-check-ready = Bereit zur Veröffentlichung
listing-check-issues = { $count ->
    [one] { $count } offener Punkt
   *[other] { $count } offene Punkte
}
listing-check-to-fix = <hidden>Zu beheben: </hidden>{ $text }
listing-check-suggestion = <hidden>Vorschlag: </hidden>{ $text }
listing-check-done = <hidden>Erledigt: </hidden>{ $text }
listing-check-passes = { $count ->
    [one] { $count } Punkt erfüllt
   *[other] { $count } Punkte erfüllt
}
listing-check-public = Diese Seite ist öffentlich. Änderungen, mit denen sie die Prüfung nicht mehr bestehen würde, werden abgelehnt.
listing-check-blocked = Du kannst veröffentlichen, sobald alle Punkte behoben sind.
listing-check-refused = Eine öffentliche Seite muss die Prüfung bestehen: { $errors }
publish = Veröffentlichen
publish-account-note = Zum Herunterladen braucht man ein Konto. <link>Downloads ohne Konto erlauben</link>

check-tags = Füge mindestens { $count } Tags hinzu
check-tags-done = Hat genug Tags
check-genre = Wähle mindestens ein Genre
check-genre-done = Hat ein Genre
check-session_length = Gib an, wie lange eine Runde dauert
check-session_length-done = Gibt an, wie lange eine Runde dauert
check-player_count = Gib an, für wie viele Spieler es ist
check-player_count-done = Gibt an, für wie viele Spieler es ist
check-network_mode = Gib an, ob offline, lokal oder online gespielt wird
check-network_mode-done = Gibt an, ob offline, lokal oder online gespielt wird
check-input = Wähle mindestens ein Eingabegerät
check-input-done = Hat ein Eingabegerät
check-engine = Nenne mindestens eine Engine, für die es gedacht ist
check-engine-done = Nennt eine Engine
check-parent = Wähle das Spiel oder die Anwendung, zu der es gehört
check-parent-done = Nennt, wozu es gehört
check-gallery = Füge der Galerie mindestens { $count } Bilder hinzu
check-gallery-done = Hat genug Bilder in der Galerie
check-cover = Füge ein Titelbild von { $min } bis { $max } im Format 16:9 hinzu
check-cover-done = Hat ein Titelbild
check-thumbnail = Füge ein Vorschaubild von { $min } bis { $max } im Format 16:9 hinzu
check-thumbnail-done = Hat ein Vorschaubild
check-clean_build = Lade einen Build hoch und warte, bis die Virenprüfung nichts gefunden hat
check-clean_build-done = Hat einen Build ohne Befund der Virenprüfung
check-tagline = Schreibe eine Kurzbeschreibung: ein Satz für Listen und geteilte Links
check-tagline-done = Hat eine Kurzbeschreibung
check-similar = Nenne ähnliche Titel, damit deren Spieler diesen finden
check-similar-done = Nennt ähnliche Titel
check-editor_wrapper = Lege alles im Zip in einen Ordner, etwa name-1.0/addons/name/: Editoren lassen den ersten Ordner beim Installieren weg
check-editor_wrapper-done = Hat den äußeren Ordner, den Editoren beim Installieren weglassen
check-editor_folders = Packe das Zip neu, mit einem Eintrag für jeden Ordner (zip -r schreibt sie): Editoren vor 4.0 überspringen die Dateien von Ordnern ohne Eintrag
check-editor_folders-done = Hat einen Eintrag für jeden Ordner, wie ältere Editoren ihn brauchen
check-web_index = Lege index.html ganz oben in das Zip oder in seinen einzigen Ordner: ohne sie lässt sich der Build nicht im Browser spielen
check-web_index-done = Der Browser-Build hat seine index.html
check-web_files = Packe weniger Dateien: der Build hat zu viele, um im Browser gespielt zu werden
check-web_files-done = Der Browser-Build hat wenig genug Dateien, um gespielt zu werden
check-web_size = Mach den Build kleiner: entpackt ist er zu groß, um im Browser gespielt zu werden
check-web_size-done = Der Browser-Build ist klein genug, um gespielt zu werden
check-web_file_size = Teile diese Datei auf: sie ist zu groß, als dass der Build im Browser gespielt werden könnte
check-web_file_size-done = Keine Datei des Browser-Builds ist zu groß, um gespielt zu werden
check-web_paths = Verwende relative Pfade, etwa game.js statt /game.js: der Build liegt nicht ganz oben in seiner Adresse, wenn er im Browser gespielt wird
check-web_paths-done = Der Browser-Build verwendet relative Pfade
check-web_case = Schreibe Verweise mit denselben Groß- und Kleinbuchstaben wie die Namen der Dateien
check-web_case-done = Der Browser-Build schreibt Verweise wie die Namen seiner Dateien

## Team

team = Team
team-username = Benutzername
team-role = Rolle
team-invited = Eingeladen
team-invite = Admin einladen
team-invite-hint = Der Benutzername. Admins können die Seite bearbeiten, Builds hochladen und Schlüssel verwalten. Löschen kannst das Projekt nur du.
team-invite-button = Einladen
team-invite-sent = Eingeladen. Die Einladung steht im Dashboard der Person.
team-owner-only = Nur wem das Projekt gehört, kann Personen einladen und entfernen.
team-leave = Verlassen …
team-leave-text = Du kannst { $project } dann nicht mehr öffnen oder bearbeiten. Deine API-Schlüssel dafür werden ungültig.
team-leave-confirm = Dieses Projekt verlassen
team-remove = Entfernen …
team-remove-text = { $username } kann { $project } dann nicht mehr öffnen oder bearbeiten. Zugehörige API-Schlüssel werden ungültig.
team-remove-confirm = { $username } entfernen
team-removed = Entfernt

agent-access = Zugriff der Agenten von Admins
agent-access-is-on = Agenten und Agenten-Schlüssel deiner Admins können an diesem Projekt arbeiten.
agent-access-is-off = Agenten von Admins sind ausgeschaltet. An diesem Projekt können nur Agenten der Person arbeiten, der es gehört.
agent-access-off-text = Agenten deiner Admins können dieses Projekt nicht mehr lesen oder ändern, und ihre Agenten-Schlüssel dafür werden widerrufen. Die Website können deine Admins weiter benutzen.
agent-access-off-confirm = Agenten von Admins ausschalten
agent-access-off-done = Agenten von Admins sind ausgeschaltet, ihre Schlüssel sind widerrufen
agent-access-on-done = Agenten von Admins sind eingeschaltet

## Spieler

give-copy = Exemplar verschenken
give-copy-text = Für Tester, Presse und Freunde. Sie können es herunterladen, als hätten sie es gekauft.
give-copy-hint = Das Exemplar erscheint in der Bibliothek der Person.
give-copy-done = Exemplar verschenkt

reviews-none = Noch keine Rezensionen
reviews-none-text = Wer ein Exemplar besitzt, kann eine Rezension schreiben.
reviews-summary = { $count ->
    [one] { $count } Rezension, { $enjoyed } mit „Hat mir gefallen“, Qualität im Schnitt { NUMBER($average, minimumFractionDigits: 1, maximumFractionDigits: 1) } von 5.
   *[other] { $count } Rezensionen, { $enjoyed } mit „Hat mir gefallen“, Qualität im Schnitt { NUMBER($average, minimumFractionDigits: 1, maximumFractionDigits: 1) } von 5.
}
review-quality-and-date = Qualität { $quality } von 5 · { $date }
verdict-enjoyed = hat gefallen
verdict-not-enjoyed = hat nicht gefallen
reply-to = Antwort an { $username }
reply-hint = Markdown. Speichere eine leere Antwort, um sie zu entfernen.
reply-edit = Antwort bearbeiten
reply-add = Antworten
reply-save = Antwort speichern
reply-saved = Antwort gespeichert

player-tags = Tags der Community
player-tags-none = { $hours ->
    [one] Wer mindestens { $hours } Stunde gespielt hat, kann bis zu { $tags } Tags vorschlagen. Ein Tag erscheint auf deiner Seite, sobald { $players } Spieler ihn vorschlagen.
   *[other] Wer mindestens { $hours } Stunden gespielt hat, kann bis zu { $tags } Tags vorschlagen. Ein Tag erscheint auf deiner Seite, sobald { $players } Spieler ihn vorschlagen.
}
tag-name = Tag
tag-votes = Stimmen
tag-on-page = Auf der Seite
tag-is-shown = ja
tag-not-yet = noch nicht
tag-hidden-by-you = von dir ausgeblendet
tag-show = Einblenden
tag-hide = Ausblenden
tag-hidden = Tag ausgeblendet. Die Stimmen bleiben erhalten.
tag-shown = Tag eingeblendet

## Gelöschte Projekte

project-delete = Projekt löschen
project-delete-open = Löschen …
project-delete-confirm = { $project } löschen
project-delete-now-text = <strong>{ $project }</strong> wird mit allen Builds, Bildern, Rezensionen, Fehlermeldungen und Absturzberichten endgültig gelöscht.
project-delete-text = <strong>{ $project }</strong> wird gespielt. Nach dem Löschen kann es niemand mehr öffnen, herunterladen oder aktualisieren, und Spieler verlieren ihre Exemplare. { $days } Tage lang kannst du es wiederherstellen. Danach ist es mit allen Builds, Bildern, Rezensionen, Fehlermeldungen und Absturzberichten endgültig weg.
project-delete-name = Name des Projekts
project-delete-name-hint = Gib zur Bestätigung <strong>{ $project }</strong> ein.
project-delete-wrong-name = Das ist nicht der Name des Projekts. Es wurde nichts gelöscht.
project-delete-password = Gib dein Passwort ein. Es wurde nichts gelöscht.
project-deleted = { $project } wurde gelöscht
project-deleted-until = { $project } wurde gelöscht. Bis zum { $date } kannst du es wiederherstellen.
projects-deleted = Gelöscht
project-deleted-on = Am { $date } gelöscht, am { $end } endgültig weg
project-restore = Wiederherstellen
project-restored = Wiederhergestellt, wie es war
project-restored-taken-down = Wiederhergestellt, bleibt aber durch die Moderation vom Netz genommen
project-taken-down = { $project } wurde vom Netz genommen
project-taken-down-text = Die Moderation hat dieses Projekt vom Netz genommen. Niemand kann seine Seite öffnen oder seine Dateien herunterladen, und es lässt sich nicht bearbeiten.
project-hidden = Die Moderation hat dieses Projekt ausgeblendet: Es steht in keiner Liste, keiner Suche und keinem Feed. Seine Seite öffnet sich über den Link.
project-reasons-owner = Die Begründung hat, wem das Projekt gehört.

## Gemeinsame Geheimnisse, die frühere Admins lesen konnten

shared-secrets = Geheimnisse, die frühere Admins lesen konnten
shared-secrets-text = Geheimnisse dieses Projekts sind vielleicht Personen bekannt, die nicht mehr daran arbeiten: { $people }.
shared-secrets-deleted = ein gelöschtes Konto
shared-secrets-here = Diese lassen sich hier ersetzen:
shared-secrets-elsewhere = Ersetze diese beim externen Store, wenn die Person sie kannte, und speichere hier die neuen:
shared-secret-signing-key = Signaturschlüssel der Webhooks
shared-secret-auth-key = Auth-Schlüssel des externen Stores
shared-secret-web-api-key = Web-API-Schlüssel des externen Stores
shared-secrets-replace = Alle ersetzen
shared-secrets-replace-text = Die alten Schlüssel werden sofort ungültig. Webhooks lassen sich mit dem alten Signaturschlüssel nicht mehr prüfen, und mit einem neuen Auth-Schlüssel müssen sich Spieler neu anmelden. Kopiere danach die neuen Schlüssel auf deine Server.
shared-secrets-replaced = Die Geheimnisse sind ersetzt. Kopiere die neuen auf deine Server.
shared-secrets-done = Alles ist ersetzt
shared-secrets-done-text = Dieser Hinweis verschwindet. Sonst ändert sich nichts.
shared-secrets-resolved = Der Hinweis ist entfernt

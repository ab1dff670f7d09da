# Die Seiten, die Betreiber schreiben, etwa die Nutzungsbedingungen, und ihre Annahme.

## Names of the pages

policy-terms = Nutzungsbedingungen
policy-privacy = Datenschutz
policy-rules = Regeln
policy-imprint = Impressum
policy-about = Über uns

## A page and its versions

policy-version = Fassung { $version }
policy-from = gilt ab { $date }
policy-version-from = Fassung { $version }, gilt ab { $date }
policy-versions = Fassungen
policy-upcoming = <link>Fassung { $version }</link> gilt ab { $date }.
policy-not-yet = Fassung { $version } gilt ab { $date }.
policy-outdated = Fassung { $version } gilt nicht. <link>Aktuelle Fassung lesen</link>.

## Editing, for operators

policies = Rechtliche Seiten
policies-text = Seiten deines Stores mit Fassungen und Daten. Sobald sie veröffentlicht sind, stehen sie in der Fußzeile. Solange es Nutzungsbedingungen gibt, werden sie bei der Registrierung angenommen, und erneut, wenn du eine neue Fassung veröffentlichst.
policy-page = Seite
policy-newest = Neueste Fassung
policy-effective = Gilt ab
policy-author = Veröffentlicht von
policy-link = Link
policy-none = Nicht veröffentlicht
policy-open = Öffnen
policy-templates = Beginne mit einer Vorlage. Sie ersetzt den Text im Formular; lass sie vor dem Veröffentlichen rechtlich prüfen.
policy-text = Text
policy-text-hint = Markdown. Jede Fassung bleibt lesbar und kann nicht geändert werden.
policy-summary = Was sich ändert
policy-summary-hint = Ein oder zwei Sätze für Menschen, die die vorige Fassung kennen.
policy-effective-hint = Heute oder bis zu ein Jahr im Voraus. Tage beginnen um Mitternacht UTC.
policy-effective-terms = Heute oder bis zu ein Jahr im Voraus. Tage beginnen um Mitternacht UTC. Ab sofort sehen alle eine Ankündigung, und ab diesem Tag müssen sie die Bedingungen annehmen, um die Website weiter zu nutzen.
policy-publish = Veröffentlichen
policy-published = Fassung { $version } ist veröffentlicht

## Refusals

rule-policy-placeholder = Ersetze oder entferne „{ $placeholder }“.
rule-policy-date = Wähle einen Tag vom { $first } bis zum { $last }.
rule-policy-changed = Inzwischen wurde eine andere Fassung veröffentlicht. Öffne die Seite erneut, um sie zu sehen.
refusal-store-terms-not-accepted = Nimm die Nutzungsbedingungen an, um fortzufahren.
refusal-store-terms-required = Nimm erst die Nutzungsbedingungen an.
rule-terms-changed = Die Nutzungsbedingungen haben sich inzwischen geändert. Lies die neue Fassung und nimm sie an.

## Acceptance of the terms

signup-terms = Ich nehme die <link>Nutzungsbedingungen</link> an.
signup-privacy = Wie wir mit deinen Daten umgehen, steht auf der Seite <link>Datenschutz</link>.
terms-announced = Ab { $date } gelten neue Nutzungsbedingungen. <link>Fassung { $version } lesen und annehmen</link>.
terms-waiting = Die Nutzungsbedingungen haben sich geändert. <link>Fassung { $version } lesen und annehmen</link>.
terms-accept-title = Nutzungsbedingungen annehmen
terms-upcoming = Fassung { $version } der Nutzungsbedingungen gilt ab { $date }.
terms-required = Um die Website weiter mit deinem Konto zu nutzen, nimm Fassung { $version } der Nutzungsbedingungen an. Deine Programme, Schlüssel und Downloads sind davon nicht betroffen.
terms-read = <link>Auf einer eigenen Seite öffnen</link>, mit allen früheren Fassungen.
terms-accept = Annehmen
terms-leave = Wenn du nicht einverstanden bist
terms-leave-text = Du kannst dich abmelden und später entscheiden, deine Daten exportieren oder dein Konto löschen.
terms-accepted = Du hast Fassung { $version } der Nutzungsbedingungen angenommen
terms-accepted-version = Du hast <link>Fassung { $version } der Nutzungsbedingungen</link> angenommen.
terms-none = In diesem Store gibt es keine Nutzungsbedingungen, die du annehmen musst.

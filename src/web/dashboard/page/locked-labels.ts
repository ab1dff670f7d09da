import { tableText } from '../../../core/text/table-text.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { type FieldName, fieldOf } from '../../../listings/fields/fields.ts'
import { readLockedLabels } from '../../../listings/moderated/label-queries.ts'
import {
  type LabelField,
  type LockedLabel,
  labelFields,
} from '../../../listings/moderated/labels.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import type { ProjectContext } from '../project-page.ts'

/** The label of a value, where the field has a list of them. */
function valueText({ field, value }: LockedLabel): Text {
  const definition = fieldOf(field)
  if (field === 'adult') return tableText('field', field, definition.label)
  const labels: Readonly<Record<string, string>> = 'values' in definition ? definition.values : {}
  return labels[value] ? tableText('value', value, labels[value]) : value
}

const valueList = (labels: readonly LockedLabel[]): Text => joinTexts(labels.map(valueText), ', ')

/** What moderators decided about a field, before somebody tries to change it. */
function noteOf(labels: readonly LockedLabel[], is_owner: boolean): Html {
  const added = labels.filter(({ present }) => present)
  const removed = labels.filter(({ present }) => !present)
  return html`
    <p class="hint" role="note">
      ${added.length > 0 && t('label-locked-added', { values: valueList(added) })}
      ${removed.length > 0 && t('label-locked-removed', { values: valueList(removed) })}
      ${
        is_owner
          ? richText('label-locked-why', { link: linkTo('/settings/moderation') })
          : t('label-locked-why-owner')
      }
    </p>`
}

/** A note beside each field whose values moderators decided. */
export async function lockedLabelNotes({
  core,
  uid,
  is_owner,
}: Pick<ProjectContext, 'core' | 'uid' | 'is_owner'>): Promise<
  Partial<Record<LabelField & FieldName, { note: Html }>>
> {
  const locked = await readLockedLabels(core.sql, uid)
  const fields = labelFields.filter((name) => locked.some(({ field }) => field === name))
  return Object.fromEntries(
    fields.map((name) => [
      name,
      {
        note: noteOf(
          locked.filter(({ field }) => field === name),
          is_owner,
        ),
      },
    ]),
  )
}

import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { grantRoute } from '../../library/copy-routes.ts'
import { listListingEventsRoute } from '../../listings/people/event-routes.ts'
import {
  changeAgentAccess,
  inviteAdmin,
  listAdmins,
  removeAdmin,
} from '../../listings/people/routes.ts'
import { eventTable } from '../account/security/event-table.ts'
import { readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { fieldForm, fieldValue, formMessage, textField } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { table } from '../components/table.ts'
import { formSender, formState, projectForm, renameRefusedField, sendTo } from './project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from './project-page.ts'
import { sharedSecretForms, sharedSecretsNotice } from './shared-secrets.ts'

type Admin = RouteData<typeof listAdmins>['admins'][number]

function removeButton({ base, who, listing }: ProjectContext, { user_uid, username }: Admin): Html {
  const action = `${base}/people/${user_uid}/remove`
  const project = listing.name
  if (user_uid === who.user_uid)
    return confirmButton({
      label: t('team-leave'),
      sentence: t('team-leave-text', { project }),
      action,
      confirm: t('team-leave-confirm'),
    })
  return confirmButton({
    label: t('team-remove'),
    sentence: t('team-remove-text', { username, project }),
    action,
    confirm: t('team-remove-confirm', { username }),
  })
}

function adminRow(project: ProjectContext, admin: Admin) {
  const { username, accepted, invited_at, user_uid } = admin
  const may_remove = project.is_owner || user_uid === project.who.user_uid
  return [
    username,
    accepted ? t('role-admin') : badge(t('role-invited'), 'warn', 'wait'),
    dateTag(invited_at),
    may_remove ? removeButton(project, admin) : '',
  ]
}

function inviteForm({ base }: ProjectContext, result: FormResult): Html {
  const state = formState(result, 'invite', {})
  const username = textField(state, {
    name: 'username',
    label: t('team-invite'),
    required: true,
    hint: t('team-invite-hint'),
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/invite`,
      names: ['username'],
      submit: t('team-invite-button'),
      layout: 'line-form',
    },
    username,
  )
}

function team(project: ProjectContext, admins: Admin[], result: FormResult): Html {
  const owner = [project.listing.developer.username, t('role-owner'), '', '']
  const rows = [owner, ...admins.map((admin) => adminRow(project, admin))]
  const no_invites = html`<p class="soft">${t('team-owner-only')}</p>`
  return html`
    ${table(t('team'), [t('team-username'), t('team-role'), t('team-invited'), ''], rows)}
    ${project.is_owner ? inviteForm(project, result) : no_invites}`
}

function agentAccess({ base, is_owner }: ProjectContext, is_allowed: boolean): Html {
  const state = is_allowed ? t('agent-access-is-on') : t('agent-access-is-off')
  const turnOff = confirmButton({
    label: t('turn-off'),
    sentence: t('agent-access-off-text'),
    action: `${base}/people/agent-access/off`,
    confirm: t('agent-access-off-confirm'),
  })
  const turnOn = postButton(t('turn-on'), `${base}/people/agent-access/on`)
  const note = html`<p class="soft">${t('owner-only')}</p>`
  return html`
    <p>${state}</p>
    ${is_owner ? (is_allowed ? turnOff : turnOn) : note}`
}

function grantForm({ base }: ProjectContext, result: FormResult): Html {
  const state = renameRefusedField(formState(result, 'grant', {}), { username: 'grantee' })
  const grantee = textField(state, {
    name: 'grantee',
    label: t('team-username'),
    required: true,
    hint: t('give-copy-hint'),
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/grant`,
      names: ['grantee'],
      submit: t('give-copy'),
      layout: 'line-form',
    },
    grantee,
  )
}

export async function showPeople(project: ProjectContext, result: FormResult) {
  const { request, uid } = project
  const { admins, agent_access } = await readApi(request, listAdmins, { params: { uid } })
  const notice = await sharedSecretsNotice(project)
  return renderSection(project, 'people', {
    title: t('section-people'),
    body: html`
      ${formMessage(formState(result, 'people', {}))}
      ${notice}
      ${subsection('admins', t('team'), team(project, admins, result))}
      ${subsection('agent-access', t('agent-access'), agentAccess(project, agent_access))}
      ${subsection('copies', t('give-copy'), grantForm(project, result), t('give-copy-text'))}
      ${project.is_owner && subsection('events', t('security-events'), eventsLink(project))}`,
  })
}

async function showEvents(project: ProjectContext) {
  const { request, uid, base, query } = project
  const events = await readApi(request, listListingEventsRoute, {
    params: { uid },
    query: { page: Number(query.page) || 1 },
  })
  const days = project.core.settings.current.security_event_days
  return renderSection(project, 'people', {
    title: t('security-events'),
    overview: 'people',
    body: html`
      <p class="soft">${t('project-events-text', { days })}</p>
      ${
        events.items.length
          ? eventTable(events.items, 'owner')
          : html`<p class="soft">${t('nothing-yet')}</p>`
      }
      ${pager(`${base}/people/events`, events)}`,
  })
}

const eventsLink = ({ base }: ProjectContext): Html => html`
  <p>${t('project-events-about')}</p>
  <p>
    <a class="button button-quiet" href="${base}/people/events">${t('security-events-show')}</a>
  </p>`

const sendToAdmin = formSender(({ uid, params }) => ({ uid, user_uid: params.user! }))

const agentAccessForm = (path: 'on' | 'off', done: Text) =>
  projectForm(
    `people/agent-access/${path}`,
    `Turn ${path} agent access for admins`,
    sendTo(changeAgentAccess, () => ({ admins: path === 'on' })),
    {
      form: 'people',
      show: showPeople,
      done,
      back: 'people#agent-access',
    },
  )

export const peopleRoutes = [
  projectPage('people', 'The people of a project', showPeople),
  projectPage('people/events', 'The security events of a project', showEvents),
  projectForm(
    'people/invite',
    'Invite an admin',
    sendTo(inviteAdmin, (sent) => ({ username: fieldValue(sent, 'username').trim() })),
    {
      form: 'invite',
      show: showPeople,
      done: t('team-invite-sent'),
      back: 'people',
    },
  ),
  projectForm('people/:user/remove', 'Remove an admin or an invitation', sendToAdmin(removeAdmin), {
    form: 'people',
    show: showPeople,
    done: t('team-removed'),
    back: ({ base, params, who }) =>
      params.user === who.user_uid ? '/dashboard' : `${base}/people`,
  }),
  ...sharedSecretForms(showPeople),
  agentAccessForm('off', t('agent-access-off-done')),
  agentAccessForm('on', t('agent-access-on-done')),
  projectForm(
    'people/grant',
    'Give someone a copy',
    sendTo(grantRoute, (sent) => ({ username: fieldValue(sent, 'grantee').trim() })),
    {
      form: 'grant',
      show: showPeople,
      done: t('give-copy-done'),
      back: 'people#copies',
    },
  ),
]

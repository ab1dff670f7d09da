import { type Theme, themes } from '../../accounts/people/themes.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import { type Html, html } from './html.ts'

const labels: Record<Theme, LocalText> = {
  auto: t('theme-auto'),
  light: t('theme-light'),
  dark: t('theme-dark'),
}

/** Plain buttons, so that the choice works without script. */
export const themeChoice = (current: Theme): Html => html`
  <form class="theme-choice" method="post" action="/settings/theme">
    <span class="sr">${t('theme-label')}</span>
    ${themes.map(
      (theme) => html`
        <button class="link" name="theme" value="${theme}"
          ${theme === current && html`aria-current="true"`}>${labels[theme]}</button>
      `,
    )}
  </form>
`

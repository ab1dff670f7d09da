import { type Text, t } from '../../core/text/text.ts'
import type { SignInPlace } from './devices.ts'

/** Such as "Firefox on Windows". */
export const deviceText = ({ browser, system }: Pick<SignInPlace, 'browser' | 'system'>): Text =>
  browser && system
    ? t('device-name', { browser, system })
    : (browser ?? system ?? t('device-unknown'))

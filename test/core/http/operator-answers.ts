import type { Producer } from './private-world.ts'

/** Answers to operators; the owner in the world is one. */
export const operatorAnswers: Record<string, Producer> = {
  'patch_private_operations_settings 200': ({ owner }) => ({ token: owner.token, body: {} }),
  // The environment of the world fixes this setting.
  'patch_private_operations_settings 409': ({ owner }) => ({
    token: owner.token,
    body: { refund_window_hours: 1 },
  }),
  'patch_private_operations_settings 422': ({ owner }) => ({
    token: owner.token,
    body: { accent_color: '#ffffff' },
  }),
}

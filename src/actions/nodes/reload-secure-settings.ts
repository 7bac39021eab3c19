/** The node reads its keystore again. */
import { asQuarryError } from '../../base/error-wire.js';
import type { ErrorType } from '../../base/errors.js';
import { defineNodeAction } from './node-action.js';

export interface ReloadFailure {
  readonly type: ErrorType;
  readonly reason: string;
}

/** Why nothing changed; null where the settings are those of the file now. */
export const reloadSecureSettings = defineNodeAction(
  'reload-secure-settings',
  async (context, { password }: { readonly password: string }): Promise<ReloadFailure | null> => {
    try {
      await context.reloadSecureSettings(password);
      return null;
    } catch (error) {
      const { type, message: reason } = asQuarryError(error);
      return { type, reason };
    }
  },
);

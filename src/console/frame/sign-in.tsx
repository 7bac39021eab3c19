/** Asks who the user is, when the node wants to know. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Failure, failureOf, send } from '../api/client.js';
import { credentials, signIn, signInWanted, withApiKey, withPassword, type Credentials } from '../api/credentials.js';
import { useStore } from '../store.js';

export function SignIn(): VNode | null {
  return useStore(signInWanted) ? <SignInForm /> : null;
}

function SignInForm(): VNode {
  const [withKey, setWithKey] = useState(false);
  const [user, setUser] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    void prove(withKey ? withApiKey(secret.trim()) : withPassword(user, secret)).then(setProblem);
  };
  return (
    <div class="sign-in">
      <form class="panel" aria-label="Sign in" onSubmit={submit}>
        <h1>Sign in</h1>
        <fieldset>
          <legend class="hidden">How</legend>
          <label>
            <input type="radio" name="how" checked={!withKey} onChange={() => setWithKey(false)} /> User and password
          </label>
          <label>
            <input type="radio" name="how" checked={withKey} onChange={() => setWithKey(true)} /> API key
          </label>
        </fieldset>
        {!withKey && (
          <label>
            User
            <input
              name="user"
              autocomplete="username"
              value={user}
              onInput={(event) => setUser(event.currentTarget.value)}
            />
          </label>
        )}
        <label>
          {withKey ? 'API key' : 'Password'}
          <input
            name="secret"
            type="password"
            autocomplete={withKey ? 'off' : 'current-password'}
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </label>
        {problem !== '' && (
          <p class="note bad" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="main">
          Sign in
        </button>
        <p class="quiet">Kept in this tab until it is closed.</p>
      </form>
    </div>
  );
}

/** Resolves with what is wrong; empty: they are good, and kept. */
async function prove(tried: Credentials): Promise<string> {
  const before = credentials.current;
  credentials.set(tried);
  try {
    const answer = await send('GET', '');
    if (answer.status === 401) throw new Failure('The node does not know this user, password or key.', 401);
    // Who may not even see the cluster's name is known all the same.
    if (answer.status >= 400 && answer.status !== 403) throw failureOf(answer);
    signIn(tried);
    return '';
  } catch (error) {
    credentials.set(before);
    return error instanceof Failure ? error.message : String(error);
  }
}

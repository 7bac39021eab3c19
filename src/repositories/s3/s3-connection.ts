/** A client of a store of the S3 protocol, made anew when the secure settings of the node are others. */
import type { S3Client } from '@aws-sdk/client-s3';
import { QuarryError } from '../../base/errors.js';
import { onDemand } from '../../base/on-demand.js';
import type { S3ClientSettings } from '../../base/s3-client-settings.js';
import type { LiveSecureSettings, SecureSettings } from '../../base/secure-settings.js';
import { agentsOf } from './agents.js';

const sdk = onDemand('@aws-sdk/client-s3');
const handlers = onDemand('@smithy/node-http-handler');

/** Stores that are no cloud take any region. */
const ANY_REGION = 'us-east-1';
const CONNECT_MS_MAX = 10_000;

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface OpenClient {
  readonly version: number;
  readonly client: S3Client;
  readonly secrets: readonly string[];
  uses: number;
}

export class S3Connection {
  private readonly name: string;
  private readonly bucket: string;
  private readonly settings: S3ClientSettings;
  private readonly secureSettings: LiveSecureSettings;
  private open: Promise<OpenClient> | undefined;
  private version = -1;

  /** `name`: of the client, as settings have it. `bucket` is for errors. */
  constructor(name: string, bucket: string, settings: S3ClientSettings, secureSettings: LiveSecureSettings) {
    this.name = name;
    this.bucket = bucket;
    this.settings = settings;
    this.secureSettings = secureSettings;
  }

  /** After the first, each of which the library makes with growing pauses in between. */
  get retries(): number {
    return this.settings.max_retries;
  }

  /** Errors are those of the library; `redact` takes secrets out of what they say. */
  async run<Result>(
    work: (client: S3Client) => Promise<Result>,
    failed: (error: unknown, redact: (text: string) => string) => Error,
  ): Promise<Result> {
    const open = await this.current();
    open.uses++;
    try {
      return await work(open.client);
    } catch (error) {
      throw failed(error, (text) => open.secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text));
    } finally {
      open.uses--;
      if (open.uses === 0 && open.version !== this.version) open.client.destroy();
    }
  }

  /** Lets go of its connections when nothing uses them any more. */
  async close(): Promise<void> {
    const former = this.open;
    this.open = undefined;
    this.version = -1;
    const client = await former?.catch(() => undefined);
    if (client?.uses === 0) client.client.destroy();
  }

  private current(): Promise<OpenClient> {
    const { version } = this.secureSettings;
    if (this.open !== undefined && this.version === version) return this.open;
    void this.close();
    const made = this.make(version);
    this.open = made;
    this.version = version;
    made.catch(() => {
      if (this.open === made) this.open = undefined;
    });
    return made;
  }

  private async make(version: number): Promise<OpenClient> {
    const secrets = await this.secureSettings.read();
    const credentials = this.credentialsOf(secrets);
    const { region, max_retries: retries, read_timeout: readMs, path_style_access: isPathStyle } = this.settings;
    const proxy = {
      username: this.secret(secrets, 'proxy.username'),
      password: this.secret(secrets, 'proxy.password'),
    };
    const endpoint = this.endpoint();
    // The library would print to the standard error of every node which versions of Node.js its later versions will need.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const { S3Client: Client } = sdk();
    const { NodeHttpHandler } = handlers();
    const client = new Client({
      region: region ?? ANY_REGION,
      ...(endpoint === undefined ? {} : { endpoint }),
      forcePathStyle: isPathStyle,
      credentials,
      maxAttempts: retries + 1,
      retryMode: 'standard',
      // Nothing comes from the environment or the home directory of whoever runs the node.
      defaultsMode: 'standard',
      useArnRegion: false,
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
      disableS3ExpressSessionAuth: true,
      disableMultiregionAccessPoints: true,
      requestChecksumCalculation: 'WHEN_SUPPORTED',
      responseChecksumValidation: 'WHEN_SUPPORTED',
      userAgentAppId: 'quarry',
      requestHandler: new NodeHttpHandler({
        connectionTimeout: CONNECT_MS_MAX,
        socketTimeout: readMs,
        ...agentsOf(this.settings, proxy),
      }),
    });
    const hidden = [credentials.accessKeyId, credentials.secretAccessKey, credentials.sessionToken, proxy.password];
    return {
      version,
      client,
      secrets: hidden.flatMap((each) => (each === undefined || each === '' ? [] : [each])),
      uses: 0,
    };
  }

  private credentialsOf(secrets: SecureSettings): Credentials {
    const accessKeyId = this.secret(secrets, 'access_key');
    const secretAccessKey = this.secret(secrets, 'secret_key');
    const sessionToken = this.secret(secrets, 'session_token');
    const missing = accessKeyId === undefined ? 'access_key' : secretAccessKey === undefined ? 'secret_key' : undefined;
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      const reason =
        `client [${this.name}] has no credentials for bucket [${this.bucket}]: the keystore of the node lacks ` +
        `[s3.client.${this.name}.${missing}]`;
      throw new QuarryError('settings_exception', reason);
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  }

  private secret(secrets: SecureSettings, member: string): string | undefined {
    return secrets.secureSetting(`s3.client.${this.name}.${member}`);
  }

  private endpoint(): string | undefined {
    const { endpoint, protocol } = this.settings;
    if (endpoint === undefined) return undefined;
    return endpoint.includes('://') ? endpoint : `${protocol}://${endpoint}`;
  }
}

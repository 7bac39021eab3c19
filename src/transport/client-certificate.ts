/** What the library knows of the certificate of the other side. */
import type { HttpResponse } from 'uWebSockets.js';

/** The installed version has this; its declarations do not know it. */
interface CertifiedResponse {
  /** PEM; empty without a certificate, and without TLS. */
  getX509Certificate(): string;
}

/** Whether the other side has shown a certificate. One that no authority of ours signed ended the connection before. */
export function hasClientCertificate(response: HttpResponse): boolean {
  return (response as unknown as CertifiedResponse).getX509Certificate() !== '';
}

/** What waits for the member while it is busy: messages of others, and what else it must be told. Bounded. */

/** Messages that wait; more are dropped, as a network would. */
export const INBOX_MESSAGES_MAX = 4_096;
export const INBOX_BYTES_MAX = 256 * 1024 * 1024;

export class ConsensusInbox {
  private messages: Uint8Array[] = [];
  private bytes = 0;
  private notes: (() => void)[] = [];
  private isTickDue = false;

  /** False when there is no room: the message is dropped. */
  addMessage(message: Uint8Array): boolean {
    if (this.messages.length >= INBOX_MESSAGES_MAX || this.bytes + message.length > INBOX_BYTES_MAX) return false;
    this.messages.push(message);
    this.bytes += message.length;
    return true;
  }

  addNote(tell: () => void): void {
    this.notes.push(tell);
  }

  /** Ticks that come while the disk is being written are one: time that this thread could not use does not count. */
  addTick(): void {
    this.isTickDue = true;
  }

  get isEmpty(): boolean {
    return this.messages.length === 0 && this.notes.length === 0 && !this.isTickDue;
  }

  takeMessages(): readonly Uint8Array[] {
    const { messages } = this;
    this.messages = [];
    this.bytes = 0;
    return messages;
  }

  takeNotes(): readonly (() => void)[] {
    const { notes } = this;
    this.notes = [];
    return notes;
  }

  takeTick(): boolean {
    const { isTickDue } = this;
    this.isTickDue = false;
    return isTickDue;
  }

  clear(): void {
    this.takeMessages();
    this.takeNotes();
    this.takeTick();
  }
}

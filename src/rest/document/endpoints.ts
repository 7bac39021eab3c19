/** Endpoints on documents. */
import type { Endpoint } from '../endpoint.js';
import { bulk } from './bulk.js';
import { deleteDocument } from './delete-document.js';
import { getDocument, getSource } from './get-document.js';
import { createDocument, indexDocument, indexNewDocument } from './index-document.js';
import { mget } from './mget.js';
import { updateDocument } from './update-document.js';

export const DOCUMENT_ENDPOINTS: readonly Endpoint[] = [
  bulk,
  createDocument,
  deleteDocument,
  getDocument,
  getSource,
  indexDocument,
  indexNewDocument,
  mget,
  updateDocument,
];

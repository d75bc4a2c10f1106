//! The `tokenizers` crate. Faced in C++ by text/tokenizer.h, which documents the meaning of each function.

use crate::guard::{Failure, guard};

#[cxx::bridge(namespace = "ingot::bridge")]
mod ffi {
    extern "Rust" {
        type Tokenizer;
        fn tokenizer_from_json(json: &[u8]) -> Result<Box<Tokenizer>>;
        fn encode(&self, text: &str, add_special_tokens: bool) -> Result<Vec<i32>>;
        fn decode(&self, ids: &[i32], skip_special_tokens: bool) -> Result<String>;
        fn vocab_size(&self) -> Result<i32>;
        fn special_ids(&self) -> Result<Vec<i32>>;
        fn token_to_id(&self, token: &str) -> Result<i32>; // -1: no such token
        fn id_to_token(&self, id: i32) -> Result<String>; // "": no such id
    }
}

pub struct Tokenizer(tokenizers::Tokenizer);

fn tokenizer_from_json(json: &[u8]) -> Result<Box<Tokenizer>, Failure> {
    guard(|| {
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(json)?;
        // Left-overs of training in some files. Lengths are the caller's business, as in Hugging Face's own loader.
        tokenizer.with_truncation(None)?;
        tokenizer.with_padding(None);
        if let Some(decoder) = tokenizer.get_decoder() {
            refuse_trailing_strip(&serde_json::to_value(decoder).map_err(|e| Failure(e.to_string()))?)?;
        }
        Ok(Box::new(Tokenizer(tokenizer)))
    })
}

// The crate panics where such a decoder meets a text shorter than what it strips: the empty one, for instance.
fn refuse_trailing_strip(decoder: &serde_json::Value) -> Result<(), Failure> {
    if decoder["type"] == "Strip" && decoder["stop"].as_u64() > Some(0) {
        return Err(Failure("a Strip decoder with \"stop\" above 0 is not supported".into()));
    }
    let inner = decoder["decoders"].as_array();
    inner.into_iter().flatten().try_for_each(refuse_trailing_strip)
}

impl Tokenizer {
    fn encode(&self, text: &str, add_special_tokens: bool) -> Result<Vec<i32>, Failure> {
        guard(|| {
            let encoding = self.0.encode_fast(text, add_special_tokens)?;
            Ok(encoding.get_ids().iter().map(|&id| id as i32).collect())
        })
    }

    fn decode(&self, ids: &[i32], skip_special_tokens: bool) -> Result<String, Failure> {
        guard(|| {
            // A negative id becomes one far above any vocabulary: unknown, like the others that do not exist.
            let ids: Vec<u32> = ids.iter().map(|&id| id as u32).collect();
            Ok(self.0.decode(&ids, skip_special_tokens)?)
        })
    }

    fn vocab_size(&self) -> Result<i32, Failure> {
        guard(|| Ok(self.0.get_vocab(true).into_values().max().map_or(0, |id| id as i32 + 1)))
    }

    fn special_ids(&self) -> Result<Vec<i32>, Failure> {
        guard(|| {
            let added = self.0.get_added_tokens_decoder();
            Ok(added.iter().filter(|(_, token)| token.special).map(|(&id, _)| id as i32).collect())
        })
    }

    fn token_to_id(&self, token: &str) -> Result<i32, Failure> {
        guard(|| Ok(self.0.token_to_id(token).map_or(-1, |id| id as i32)))
    }

    fn id_to_token(&self, id: i32) -> Result<String, Failure> {
        guard(|| Ok(self.0.id_to_token(id as u32).unwrap_or_default()))
    }
}

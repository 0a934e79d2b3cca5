//! Candle's Llama, measured: `candle-peer rates MODEL` prints tokens per second, a JSON object a line; `candle-peer greedy
//! MODEL COUNT ID…` prints that many tokens after a prompt, each on a line as soon as it is there. RAYON_NUM_THREADS says
//! how many threads.

use std::io::Write;
use std::time::Instant;

use anyhow::{bail, Context, Result};
use candle_core::{DType, Device, Tensor, D};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Config, Llama, LlamaConfig};

/// F16: candle has no BF16 matrix product on the CPU.
const DTYPE: DType = DType::F16;

struct Model {
    llama: Llama,
    config: Config,
}

impl Model {
    fn load(dir: &str) -> Result<Self> {
        let config = std::fs::read(format!("{dir}/config.json")).context("config.json")?;
        let config = serde_json::from_slice::<LlamaConfig>(&config)?.into_config(false);
        let file = format!("{dir}/model.safetensors");
        // SAFETY: nothing writes to a model's file while it is mapped.
        let weights = unsafe { VarBuilder::from_mmaped_safetensors(&[file], DTYPE, &Device::Cpu)? };
        Ok(Model {
            llama: Llama::load(weights, &config)?,
            config,
        })
    }

    fn cache(&self) -> Result<Cache> {
        Ok(Cache::new(true, DTYPE, &self.config, &Device::Cpu)?)
    }

    /// Takes tokens in at a position; returns the likeliest next one.
    fn step(&self, tokens: &[u32], at: usize, cache: &mut Cache) -> Result<u32> {
        let tokens = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let logits = self.llama.forward(&tokens, at, cache)?;
        Ok(logits.argmax(D::Minus1)?.squeeze(0)?.to_scalar()?)
    }

    /// Tokens per second of a prefill.
    fn prefill(&self, count: usize) -> Result<f64> {
        let mut cache = self.cache()?;
        let start = Instant::now();
        self.step(&prompt(count), 0, &mut cache)?;
        Ok(count as f64 / start.elapsed().as_secs_f64())
    }

    /// Tokens per second of greedy steps after `depth` tokens, and after one more that gives the first of them.
    fn decode(&self, depth: usize, count: usize) -> Result<f64> {
        let mut cache = self.cache()?;
        let mut token = self.step(&prompt(depth.max(1)), 0, &mut cache)?;
        let start = Instant::now();
        for at in depth.max(1)..depth.max(1) + count {
            token = self.step(&[token], at, &mut cache)?;
        }
        Ok(count as f64 / start.elapsed().as_secs_f64())
    }
}

/// Some tokens; which ones does not matter for speed. All peers take these.
fn prompt(count: usize) -> Vec<u32> {
    (0..count)
        .map(|i| 1000 + (i * 7919 % 30000) as u32)
        .collect()
}

fn rates(dir: &str) -> Result<()> {
    let model = Model::load(dir)?;
    model.prefill(512)?;
    model.decode(0, 8)?;
    println!("{{\"pp512\": {}}}", model.prefill(512)?);
    println!("{{\"tg128\": {}}}", model.decode(0, 128)?);
    println!("{{\"tg128_at_2000\": {}}}", model.decode(2000, 128)?);
    Ok(())
}

fn greedy(dir: &str, count: usize, prompt: &[u32]) -> Result<()> {
    let model = Model::load(dir)?;
    let mut cache = model.cache()?;
    let mut out = std::io::stdout();
    let mut next = prompt.to_vec();
    let mut at = 0;
    for _ in 0..count {
        let token = model.step(&next, at, &mut cache)?;
        writeln!(out, "{token}")?;
        out.flush()?;
        at += next.len();
        next = vec![token];
    }
    Ok(())
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["rates", dir] => rates(dir),
        ["greedy", dir, count, ref ids @ ..] => {
            let prompt = ids
                .iter()
                .map(|id| id.parse())
                .collect::<Result<Vec<u32>, _>>()?;
            greedy(dir, count.parse()?, &prompt)
        }
        _ => bail!("usage: candle-peer rates MODEL | greedy MODEL COUNT ID…"),
    }
}
